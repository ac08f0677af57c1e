import StratusWire

@testable import StratusDomain

/// One zone, its owner, its participants and their devices. Random events change them.
struct RandomShares {
  let server: SharedServer
  var chance: ShareChance
  var log: [String] = []
  var sights = ShareSights()
  var model = NaiveShares()
  private var devices: [SharedDevice]
  /// For each participant and share, all records that were visible since the user joined the share.
  private var entitled: [String: [String?: Set<String>]] = [:]
  /// The users whose participation has ended at least once.
  var former: Set<String> = []

  static let users = ["_bob", "_cid"]
  /// The record names of shares. In the model, a share is a child of its root.
  static let shareNames = names.map { "S-" + $0 }
  static let names = (0..<9).map { "r\($0)" }

  /// Whether shares are made, joined and ended by requests. Otherwise, the store is called
  /// directly.
  let isOverWire: Bool
  /// For each share, the invited users and whether they may write.
  var invited: [String: [String: Bool]] = [:]
  var shortGUIDs: [String: String] = [:]
  /// The blocked users of each share.
  var blocked: [String: Set<String>] = [:]

  init(seed: UInt64, isOverWire: Bool = false) async throws {
    self.isOverWire = isOverWire
    server = try await SharedServer()
    chance = ShareChance(seed: seed)
    devices = ([SharedServer.ann] + Self.users + Self.users).map(SharedDevice.init)
  }

  mutating func step() async throws {
    switch Int.random(in: 0..<100, using: &chance) {
    case 0..<24: try await save()
    case 24..<32: try await delete()
    case 32..<38: try await begin()
    case 38..<41: try await end()
    case 41..<50: try await join()
    case 50..<55: try await leave()
    case 55..<57: try await remove()
    case 57..<70: try await saveAsParticipant()
    case 70..<75: try await settle(stepsMax: 1)
    case 75..<77: try await forget()
    case 77..<79: try await checkReaders()
    case 79..<83: try await checkHidden()
    case 83..<94: try await readPage()
    default: try await follow()
    }
    try await noteEntitled()
  }

  /// Makes all devices read to the end. Each device must then have exactly the records that its
  /// user may see.
  mutating func finish() async throws {
    try await settle(stepsMax: .max)
    for index in devices.indices { try await follow(index) }
    try await checkReaders()
  }

  // Records

  var someName: String { mutating get { Self.names.randomElement(using: &chance) ?? "" } }

  /// Returns a random change of a record's parent, and the parent after a save with this change.
  private mutating func someParent(of name: String) -> (change: ParentChange, parent: String?) {
    let old = model.parents[name] ?? nil
    switch Int.random(in: 0..<10, using: &chance) {
    case 0..<4: return (.unchanged, old)
    case 4: return (.removed, nil)
    default:
      guard
        let parent = model.names.filter({ $0 != name && !$0.hasPrefix("S-") }).randomElement(
          using: &chance)
      else {
        return (.removed, nil)
      }
      return (.set(recordName: parent), parent)
    }
  }

  private mutating func save() async throws {
    let name = someName
    let (change, parent) = someParent(of: name)
    log.append("Ann saves \(name) below \(parent ?? "nothing")")
    let before = model.root(of: name)
    let code = try await server.modify(
      [save(name, change)], as: SharedServer.ann, followersMax: followersMax)[0]
    if let code { throw Mishap("Ann's save was refused: \(code)") }
    model.parents[name] = .some(parent)
    if before != model.root(of: name) { sights.note("move") }
    if isInCycle(name) { sights.note("cycle") }
  }

  /// The maximum number of records that one step moves with their parents. With such a low number,
  /// most moves of trees take several steps.
  var followersMax: Int { mutating get { Int.random(in: 1...3, using: &chance) } }

  private func save(_ name: String, _ parent: ParentChange) -> RecordOperation {
    RecordOperation(.forceUpdate, recordName: name, recordType: "Note", parent: parent)
  }

  private func isInCycle(_ name: String) -> Bool {
    var current = model.parents[name] ?? nil
    for _ in 0..<20 {
      if current == name { return true }
      current = current.flatMap { model.parents[$0] ?? nil }
    }
    return false
  }

  private mutating func delete() async throws {
    let name = someName
    // If shares do not use requests, the model does not end a share together with its root, so such
    // a root is not deleted.
    if model.roots.contains(name), !isOverWire { return }
    log.append("Ann deletes \(name)")
    let code = try await server.modify(
      [RecordOperation(.forceDelete, recordName: name)], as: SharedServer.ann)[0]
    let isHeld =
      model.parents[name] != nil && !model.children(of: name).filter { $0 != "S-" + name }.isEmpty
    if isHeld != (code == .validatingReferenceError) || !isHeld && code != nil {
      throw Mishap("the deletion of \(name) has the code \(String(describing: code))")
    }
    if isHeld { return sights.note("refused") }
    model.parents[name] = nil
    if model.roots.contains(name) {
      sights.note("root deleted")
      ended(name)
    }
  }

  private mutating func saveAsParticipant() async throws {
    guard let user = Self.users.randomElement(using: &chance) else { return }
    let name = someName
    let exists = model.parents[name] != nil
    var (change, parent) = someParent(of: name)
    if !exists, change == .unchanged { (change, parent) = (.removed, nil) }
    // The parent of the root does not belong to the share, so a participant cannot change it.
    if model.joined[user]?[name] != nil {
      (change, parent) = (.unchanged, model.parents[name] ?? nil)
    }
    log.append("\(user) saves \(name) below \(parent ?? "nothing")")
    // With unfinished moves, the server would still have earlier hierarchies than the model.
    try await settle(stepsMax: .max)
    var after = model
    after.parents[name] = .some(parent)
    let expected: ErrorCode?
    let stays = exists && after.root(of: name) == model.root(of: name)
    switch exists ? model.mayWrite(user, in: model.root(of: name)) : .some(true) {
    case nil: expected = model.maySave(user) ? .notFound : .accessDenied
    case false?: expected = .accessDenied
    case true? where !exists && !model.maySave(user): expected = .accessDenied
    case true? where parent.map { !model.mayRead(user, $0) } ?? false && change != .unchanged:
      // A parent that the user cannot see is refused like a missing parent.
      expected = .validatingReferenceError
    case true?:
      let place = stays ? true : after.mayWrite(user, in: after.root(of: name)) ?? false
      expected = place ? nil : .accessDenied
    }
    let code: ErrorCode?
    do throws(ServerError) {
      code = try await server.modify([save(name, change)], as: user)[0]
    } catch {
      guard error.code == .zoneNotFound, (model.joined[user] ?? [:]).isEmpty else { throw error }
      return sights.note("no zone")
    }
    if code != expected {
      throw Mishap("got \(String(describing: code)), expected \(String(describing: expected))")
    }
    switch code {
    case nil:
      model = after
      sights.note("participant saves")
    case .accessDenied, .validatingReferenceError: sights.note("denied")
    default: sights.note("hidden")
    }
  }

  // Shares

  private mutating func begin() async throws {
    if isOverWire { return try await beginByRequest() }
    guard let root = model.names.randomElement(using: &chance), model.roots.insert(root).inserted
    else { return }
    log.append("begin \(root)")
    sights.note("begin")
    let (now, limit) = (server.now, followersMax)
    try await server.store.write { (store) throws(ServerError) in
      try store.beginHierarchy(
        of: root, in: SharedServer.address, at: now, within: FollowerBudget(limit))
    }
  }

  private mutating func end() async throws {
    if isOverWire { return try await endByRequest() }
    guard let root = model.roots.sorted().randomElement(using: &chance) else { return }
    log.append("end \(root)")
    sights.note("end")
    model.roots.remove(root)
    let (now, limit) = (server.now, followersMax)
    try await server.store.write { (store) throws(ServerError) in
      try store.endHierarchy(
        of: root, in: SharedServer.address, at: now, within: FollowerBudget(limit))
    }
    for user in Self.users { left(root, by: user) }
  }

  private mutating func join() async throws {
    if isOverWire { return try await joinByRequest() }
    guard let user = Self.users.randomElement(using: &chance) else { return }
    var root = model.roots.sorted().randomElement(using: &chance)
    if Int.random(in: 0..<12, using: &chance) == 0 { root = nil }
    let writes = Bool.random(using: &chance)
    log.append("\(user) joins \(root ?? "the zone"), writes: \(writes)")
    sights.note(former.contains(user) ? "join again" : "join")
    model.joined[user, default: [:]][root] = writes
    try await server.store.write { [root] (store) throws(ServerError) in
      guard let zone = try store.trips else { return }
      try store.join(zone, root: root, permission: writes ? .readWrite : .read, user: user)
    }
  }

  private mutating func leave() async throws {
    guard let user = Self.users.randomElement(using: &chance),
      let root = (model.joined[user] ?? [:]).keys.sorted(by: { ($0 ?? "") < ($1 ?? "") })
        .randomElement(using: &chance)
    else { return }
    if isOverWire { return try await leaveByRequest(root, as: user) }
    log.append("\(user) leaves \(root ?? "the zone")")
    sights.note("leave")
    let now = server.now
    try await server.store.write { (store) throws(ServerError) in
      guard let zone = try store.trips else { return }
      try store.leave(zone, root: root, user: user, at: now)
    }
    left(root, by: user)
  }

  private mutating func remove() async throws {
    if isOverWire { return try await changeByRequest() }
    guard let user = Self.users.randomElement(using: &chance) else { return }
    log.append("\(user) is removed")
    let now = server.now
    let wasListed = try await server.store.write { (store) throws(ServerError) in
      guard let zone = try store.trips else { return false }
      return try store.unlist(zone, inSharedDatabaseOf: user, at: now)
    }
    if wasListed { sights.note("removed") }
    if wasListed == (model.joined[user] ?? [:]).isEmpty { throw Mishap("a listing is wrong") }
    for root in (model.joined[user] ?? [:]).keys { left(root, by: user) }
  }

  mutating func left(_ root: String?, by user: String) {
    guard model.joined[user]?.removeValue(forKey: root) != nil else { return }
    former.insert(user)
    // A user who joins the share again reads from the beginning.
    entitled[user]?[root] = nil
  }

  /// Stores in the model that the share of a root has ended.
  mutating func ended(_ root: String) {
    model.roots.remove(root)
    model.parents["S-" + root] = nil
    invited[root] = nil
    blocked[root] = nil
    for user in Self.users { left(root, by: user) }
  }

  // Work

  private mutating func settle(stepsMax: Int) async throws {
    let waiting = try await server.store.read { (store) throws(ServerError) in
      try !store.unfinishedHierarchies(limit: 1).isEmpty
    }
    if waiting { sights.note("unfinished") }
    let limit = Int.random(in: 1...4, using: &chance)
    try await server.continueHierarchies(limit: limit, stepsMax: stepsMax)
  }

  /// Removes old tombstones from the histories.
  private mutating func forget() async throws {
    let time = server.now - Int64.random(in: 0...40, using: &chance) * 1_000
    log.append("forget")
    try await server.store.write { (store) throws(ServerError) in
      while try store.expireDeletions(before: time, limit: 10) {}
    }
  }

  // Devices

  private mutating func readPage() async throws {
    guard let index = devices.indices.randomElement(using: &chance) else { return }
    _ = try await readPage(index)
  }

  private mutating func readPage(_ index: Int) async throws -> SharedDevice.Outcome {
    let user = devices[index].user
    let expirations = devices[index].expirations
    let outcome = try await devices[index].readPage(
      of: server, limit: Int.random(in: 1...4, using: &chance),
      isReversed: Int.random(in: 0..<4, using: &chance) == 0,
      showsDeletedTypes: Int.random(in: 0..<4, using: &chance) == 0)
    log.append("device \(index) of \(user) reads: \(outcome) \(devices[index].held.keys.sorted())")
    if devices[index].expirations > expirations { sights.note("expired") }
    switch outcome {
    case .more: sights.note("further page")
    case .noZone: sights.note("no zone")
    case .complete: break
    }
    guard user != SharedServer.ann else { return outcome }
    let excess = devices[index].delivered.subtracting(model.visible(to: user))
    if !excess.isEmpty { throw Mishap("\(user) is shown \(excess.sorted())") }
    let told = devices[index].deletions
    if !told.isEmpty { sights.note("deletion told") }
    let known = (entitled[user] ?? [:]).values.reduce(into: Set()) { $0.formUnion($1) }
    let leaked = told.subtracting(known)
    if !leaked.isEmpty { throw Mishap("\(user) is told of deletions of \(leaked.sorted())") }
    return outcome
  }

  private mutating func follow() async throws {
    guard let index = devices.indices.randomElement(using: &chance) else { return }
    try await settle(stepsMax: .max)
    try await noteEntitled()
    try await follow(index)
  }

  private mutating func follow(_ index: Int) async throws {
    // A first sync in reverse returns the changes from before its start. The second sync returns
    // the changes since then.
    for _ in 0..<2 {
      var pages = 0
      while case .more = try await readPage(index) {
        pages += 1
        if pages > 100 { throw Mishap("the history of device \(index) has no end") }
      }
    }
    let user = devices[index].user
    let expected = user == SharedServer.ann ? Set(model.names) : model.visible(to: user)
    let tags = try await tags(of: expected)
    if devices[index].held != tags {
      throw Mishap(
        "device \(index) of \(user) has \(devices[index].held), expected \(tags)")
    }
  }

  private func tags(of names: Set<String>) async throws -> [String: String] {
    try await server.store.read { (store) throws(ServerError) in
      guard let zone = try store.trips else { return [:] }
      let found = try store.records(named: names.sorted(), in: zone)
      return Dictionary(uniqueKeysWithValues: found.map { ($0.key.text, $0.value.tag) })
    }
  }

  /// Checks that lookups and queries show the same records as the feed.
  private mutating func checkReaders() async throws {
    try await settle(stepsMax: .max)
    for user in Self.users where !(model.joined[user] ?? [:]).isEmpty {
      let expected = model.visible(to: user)
      let found = try await server.lookUp(Self.names + Self.shareNames, as: user)
      if Set(found.keys) != expected { throw Mishap("\(user) finds \(found.keys.sorted())") }
      if model.parents.isEmpty { continue }
      let queried = try await server.query("Note", as: user)
      if queried.sorted() != expected.filter({ !$0.hasPrefix("S-") }).sorted() {
        throw Mishap("\(user) queries \(queried)")
      }
    }
  }

  /// Checks that lookups and queries show no record outside the shares, even while some records
  /// must still follow their parents out of a share.
  private mutating func checkHidden() async throws {
    for user in Self.users where !(model.joined[user] ?? [:]).isEmpty && !model.parents.isEmpty {
      let allowed = model.visible(to: user)
      let found = try await server.lookUp(Self.names + Self.shareNames, as: user)
      let queried = try await server.query("Note", as: user)
      let excess = Set(found.keys).union(queried).subtracting(allowed)
      if !excess.isEmpty { throw Mishap("\(user) finds \(excess.sorted())") }
    }
  }

  /// Adds to ``entitled`` all records that participants may see now, according to the model or to
  /// the server. The server may not have moved all records to the hierarchy of their parents yet.
  private mutating func noteEntitled() async throws {
    let roots = try await server.store.read { (store) throws(ServerError) in
      guard let zone = try store.trips else { return [String: String]() }
      let roots = try store.hierarchies(of: Self.names + Self.shareNames, in: zone)
      return Dictionary(uniqueKeysWithValues: roots.map { ($0.key.text, $0.value) })
    }
    for user in Self.users {
      for root in (model.joined[user] ?? [:]).keys {
        let names = (Self.names + Self.shareNames).filter { name in
          if root == nil { return model.parents[name] != nil }
          return model.root(of: name) == root || roots[name] == root
        }
        entitled[user, default: [:]][root, default: []].formUnion(names)
      }
    }
  }
}

extension StoreReading {
  fileprivate var trips: StoredZone? {
    get throws(ServerError) {
      try zone(named: SharedServer.address.name, in: SharedServer.address.database)
    }
  }
}

/// A random number generator with a seed (SplitMix64).
struct ShareChance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
