import StratusWire

@testable import StratusDomain

/// Creation, acceptance and end of shares by the requests of users.
extension RandomShares {
  mutating func beginByRequest() async throws {
    let names = model.names.filter { !$0.hasPrefix("S-") }
    guard let root = names.randomElement(using: &chance) else { return }
    var people: [String: Bool] = [:]
    for user in Self.users where Int.random(in: 0..<4, using: &chance) > 0 {
      people[user] = Bool.random(using: &chance)
    }
    let overlaps =
      model.root(of: root) != nil || model.roots.contains { isBelow($0, root) }
    log.append("share \(root) with \(people.sorted { $0.key < $1.key }), overlaps: \(overlaps)")
    var operation = RecordOperation(
      .create, recordName: "S-" + root, recordType: ShareRecord.recordType)
    operation.share = ShareInput(rootRecordName: root, participants: participants(people))
    let code = try await server.modify(
      [operation], as: SharedServer.ann, followersMax: followersMax)[0]
    // A share of the same root has the same record name, so the save is a conflict.
    let refusal: ErrorCode = model.roots.contains(root) ? .conflict : .badRequest
    if code != (overlaps ? refusal : nil) {
      throw Mishap("sharing \(root) has the code \(String(describing: code))")
    }
    if overlaps { return sights.note("overlap") }
    sights.note("begin")
    model.roots.insert(root)
    model.parents["S-" + root] = .some(root)
    invited[root] = people
    let shown = try await server.lookUp(["S-" + root], as: SharedServer.ann)["S-" + root]
    guard let shortGUID = shown?.shortGUID else { throw Mishap("a share has no ID") }
    if let known = shortGUIDs[root], known != shortGUID {
      throw Mishap("the URL of \(root) changed")
    }
    shortGUIDs[root] = shortGUID
  }

  private func isBelow(_ name: String, _ above: String) -> Bool {
    var seen: Set<String> = []
    var current: String? = name
    while let next = current, seen.insert(next).inserted {
      current = model.parents[next] ?? nil
      if current == above { return true }
    }
    return false
  }

  private func participants(_ people: [String: Bool]) -> [ShareParticipant] {
    people.sorted { $0.key < $1.key }.map { user, writes in
      ShareParticipant(
        identity: ParticipantIdentity(lookup: .userRecordName(user)),
        permission: writes ? .readWrite : .readOnly)
    }
  }

  mutating func endByRequest() async throws {
    guard let root = model.roots.sorted().randomElement(using: &chance) else { return }
    log.append("end \(root)")
    sights.note("end")
    let deletion = RecordOperation(.forceDelete, recordName: "S-" + root)
    let code = try await server.modify(
      [deletion], as: SharedServer.ann, followersMax: followersMax)[0]
    if let code { throw Mishap("the share of \(root) cannot be deleted: \(code)") }
    ended(root)
  }

  mutating func joinByRequest() async throws {
    guard let user = Self.users.randomElement(using: &chance),
      let root = shortGUIDs.keys.sorted().randomElement(using: &chance),
      let shortGUID = shortGUIDs[root]
    else { return }
    let permission = invited[root]?[user]
    log.append("\(user) accepts \(root), invited: \(String(describing: permission))")
    let code = try await server.accept(shortGUID, as: user)
    if code == .tryAgainLater { return sights.note("unsettled") }
    if code != (permission == nil ? .notFound : nil) {
      throw Mishap("acceptance has the code \(String(describing: code))")
    }
    guard let permission else { return sights.note("not invited") }
    sights.note(former.contains(user) ? "join again" : "join")
    model.joined[user, default: [:]][root] = permission
  }

  mutating func leaveByRequest(_ root: String?, as user: String) async throws {
    guard let root else { return }
    log.append("\(user) leaves \(root) by deleting its share")
    sights.note("leave")
    let code = try await server.modify(
      [RecordOperation(.forceDelete, recordName: "S-" + root)], as: user)[0]
    if let code { throw Mishap("leaving has the code \(code)") }
    left(root, by: user)
  }

  /// Ann removes or invites users, or changes their permissions.
  mutating func changeByRequest() async throws {
    guard let root = model.roots.sorted().randomElement(using: &chance),
      let user = Self.users.randomElement(using: &chance)
    else { return }
    if invited[root]?[user] != nil, Int.random(in: 0..<6, using: &chance) == 0 {
      return try await block(user, in: root)
    }
    var people = invited[root] ?? [:]
    let permission = [nil, nil, false, true].randomElement(using: &chance) ?? nil
    people[user] = permission
    log.append("Ann changes \(user) in \(root) to \(String(describing: permission))")
    var operation = RecordOperation(.forceUpdate, recordName: "S-" + root)
    operation.share = ShareInput(participants: participants(people))
    if permission != nil, blocked[root]?.remove(user) != nil {
      operation.share?.unblockedIdentities = [user]
    }
    let code = try await server.modify([operation], as: SharedServer.ann)[0]
    if let code { throw Mishap("the change of a share has the code \(code)") }
    invited[root] = people
    if permission == nil, model.joined[user]?[root] != nil {
      sights.note("removed")
      left(root, by: user)
    } else if let permission, model.joined[user]?[root] != nil {
      sights.note("permission changed")
      model.joined[user]?[root] = permission
    }
  }

  /// Ann blocks a user. The user then cannot see the share any more, and cannot accept it again.
  private mutating func block(_ user: String, in root: String) async throws {
    log.append("Ann blocks \(user) in \(root)")
    sights.note("blocked")
    if model.joined[user]?[root] != nil { sights.note("removed") }
    var operation = RecordOperation(.forceUpdate, recordName: "S-" + root)
    operation.share = ShareInput(blockedRequesters: [user])
    let code = try await server.modify([operation], as: SharedServer.ann)[0]
    if let code { throw Mishap("blocking has the code \(code)") }
    invited[root]?[user] = nil
    blocked[root, default: []].insert(user)
    left(root, by: user)
  }
}
