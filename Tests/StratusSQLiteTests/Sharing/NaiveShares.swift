/// Computes from the parents alone which records of one zone its participants may see
/// (sharing §1.2, §2.3).
struct NaiveShares {
  /// The parents of the live records.
  var parents: [String: String?] = [:]
  var roots: Set<String> = []
  /// The shares that each user has joined, with their permissions. The key nil is the whole zone.
  var joined: [String: [String?: Bool]] = [:]

  var names: [String] { parents.keys.sorted() }

  /// The nearest shared root at or above a record.
  func root(of name: String) -> String? {
    var seen: Set<String> = []
    var current: String? = name
    while let next = current, parents[next] != nil, seen.insert(next).inserted {
      if roots.contains(next) { return next }
      current = parents[next] ?? nil
    }
    return nil
  }

  /// Whether a user may write to the records of a hierarchy; nil: the user does not see them.
  func mayWrite(_ user: String, in root: String?) -> Bool? {
    let shares = joined[user] ?? [:]
    let permissions = [shares[nil], root.flatMap { shares[$0] }].compactMap { $0 }
    return permissions.isEmpty ? nil : permissions.contains(true)
  }

  /// Whether a user may write in any share.
  func maySave(_ user: String) -> Bool { (joined[user] ?? [:]).values.contains(true) }

  func mayRead(_ user: String, _ name: String) -> Bool {
    mayWrite(user, in: root(of: name)) != nil
  }

  func visible(to user: String) -> Set<String> {
    Set(names.filter { mayWrite(user, in: root(of: $0)) != nil })
  }

  func children(of name: String) -> [String] {
    names.filter { parents[$0] == .some(.some(name)) }
  }
}
