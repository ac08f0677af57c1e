/// A model of the rights of participants in one zone. It uses only the parents of the records.
struct NaiveShares {
  /// The parents of the records that are not deleted.
  var parents: [String: String?] = [:]
  var roots: Set<String> = []
  /// For each user, the joined shares and whether the user may write. The key nil is the whole
  /// zone.
  var joined: [String: [String?: Bool]] = [:]

  var names: [String] { parents.keys.sorted() }

  /// The nearest shared root among a record and its ancestors.
  func root(of name: String) -> String? {
    var seen: Set<String> = []
    var current: String? = name
    while let next = current, parents[next] != nil, seen.insert(next).inserted {
      if roots.contains(next) { return next }
      current = parents[next] ?? nil
    }
    return nil
  }

  /// Whether a user may write to the records of a hierarchy, or nil if the user cannot see them.
  func mayWrite(_ user: String, in root: String?) -> Bool? {
    let shares = joined[user] ?? [:]
    let permissions = [shares[nil], root.flatMap { shares[$0] }].compactMap { $0 }
    return permissions.isEmpty ? nil : permissions.contains(true)
  }

  /// Whether a user may write in at least one share.
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
