import StratusWire
import Testing

@testable import StratusDomain

/// The history of a zone as participants receive it.
@Suite struct `A participant's feed` {
  /// Runs a test with Ann's zone. The zone has the trees a > b > c and x > y, and the record z.
  private func withTrees(_ body: (SharedServer) async throws -> Void) async throws {
    let server = try await SharedServer()
    for (name, parent) in [("a", nil), ("b", "a"), ("c", "b"), ("x", nil), ("y", "x"), ("z", nil)]
      as [(String, String?)]
    {
      try await server.save(name, below: parent)
    }
    do { try await body(server) } catch {
      server.close()
      throw error
    }
    server.close()
  }

  @Test func `a participant gets the records of the shared hierarchy and no others`() async throws {
    try await withTrees { server in
      try await server.share("a", with: "_bob")
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server)
      #expect(bob.names == ["a", "b", "c"])
    }
  }

  @Test func `a participant of a zone-wide share gets the whole zone`() async throws {
    try await withTrees { server in
      try await server.share(nil, with: "_bob")
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server)
      #expect(bob.names == ["a", "b", "c", "x", "y", "z"])
      try await server.delete("z")
      try await bob.follow(server)
      #expect(bob.names == ["a", "b", "c", "x", "y"])
    }
  }

  /// The child `y` joins the hierarchy together with its parent `x`, although the last change of
  /// `y` is older than the token.
  @Test
  func `records that join a hierarchy are sent, and records that leave it appear as deleted`()
    async throws
  {
    try await withTrees { server in
      try await server.share("a", with: "_bob")
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server)
      let tag = try await server.lookUp(["y"], as: SharedServer.ann)["y"]?.recordChangeTag
      try await server.save("x", below: "a")
      try await bob.follow(server)
      #expect(bob.names == ["a", "b", "c", "x", "y"])
      // The child keeps its change tag, so the owner's copy is still current.
      #expect(bob.held["y"] == tag)
      try await server.save("x", below: nil)
      try await bob.follow(server)
      #expect(bob.names == ["a", "b", "c"])
      #expect(bob.deletions == ["x", "y"])
    }
  }

  /// Cid joins the share after the record `x` has left the hierarchy.
  @Test
  func `a participant gets no deletion of a record that the participant never had`() async throws {
    try await withTrees { server in
      try await server.share("a", with: "_bob")
      try await server.save("x", below: "a")
      try await server.save("x", below: nil)
      try await server.delete("y")
      try await server.share("a", with: "_cid", begins: false)
      var cid = SharedDevice(user: "_cid")
      try await cid.follow(server, showsDeletedTypes: true)
      #expect(cid.names == ["a", "b", "c"])
      try await server.delete("z")
      try await server.save("x", below: "a")
      try await cid.follow(server)
      #expect(cid.names == ["a", "b", "c", "x"])
      #expect(cid.deletions == [])
    }
  }

  @Test func `a participant's first sync has no deletions, and later deletions have record types`()
    async throws
  {
    try await withTrees { server in
      try await server.share("a", with: "_bob")
      try await server.delete("c")
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server)
      #expect(bob.names == ["a", "b"])
      #expect(bob.deletions == [])
      try await server.delete("b")
      let page = try await server.page(
        of: "_bob", since: bob.token, limit: 9, showsDeletedTypes: true)
      guard case .deleted(let tombstone)? = page.records.first else {
        Issue.record("the page has no deletion")
        return
      }
      #expect(tombstone.recordName == "b")
      #expect(tombstone.recordType == "Note")
      #expect(!page.moreComing)
    }
  }

  /// The token is older than the second share. The records of that share are older than the token.
  @Test func `a participant's old change token returns the older records of a second share`()
    async throws
  {
    try await withTrees { server in
      try await server.share("x", with: "_bob")
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server)
      try await server.save("z", below: "y")
      try await server.share("a", with: "_bob")
      for limit in [1, 2, 9] {
        var device = bob
        try await device.follow(server, limit: limit)
        #expect(device.names == ["a", "b", "c", "x", "y", "z"])
        #expect(device.expirations == 0)
      }
    }
  }

  /// The user joins another share while the device fetches the records of the first share.
  @Test
  func `a fetch also returns the records of a share that is joined between two of its pages`()
    async throws
  {
    try await withTrees { server in
      try await server.share("z", with: "_bob")
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server)
      try await server.share("a", with: "_bob")
      _ = try await bob.readPage(
        of: server, limit: 1, isReversed: false, showsDeletedTypes: false)
      try await server.share("x", with: "_bob")
      try await bob.follow(server, limit: 1)
      #expect(bob.names == ["a", "b", "c", "x", "y", "z"])
      #expect(bob.expirations == 0)
    }
  }

  /// The users participate in shares of different roots of one zone.
  @Test
  func `a record that moves between two shares is gone for one participant and new for the other`()
    async throws
  {
    try await withTrees { server in
      for (root, user) in [("a", "_bob"), ("x", "_cid"), ("a", "_dora"), ("x", "_dora")] {
        try await server.share(root, with: user, begins: user != "_dora")
      }
      var devices = ["_bob", "_cid", "_dora"].map(SharedDevice.init)
      for index in devices.indices { try await devices[index].follow(server) }
      try await server.save("b", below: "y")
      for index in devices.indices { try await devices[index].follow(server) }
      #expect(devices[0].names == ["a"])
      #expect(devices[0].deletions == ["b", "c"])
      #expect(devices[1].names == ["b", "c", "x", "y"])
      #expect(devices[2].names == ["a", "b", "c", "x", "y"])
      #expect(devices[2].deletions == [])
    }
  }

  @Test func `the change tokens of an earlier participation are expired`() async throws {
    try await withTrees { server in
      try await server.share("a", with: "_bob")
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server)
      let earlier = bob.token
      try await server.end("a", for: "_bob")
      let outcome = try await bob.readPage(
        of: server, limit: 9, isReversed: false, showsDeletedTypes: false)
      #expect(outcome == .noZone)
      try await server.delete("c")
      try await server.share("a", with: "_bob", begins: false)
      let error = await #expect(throws: ServerError.self) {
        try await server.page(of: "_bob", since: earlier, limit: 9)
      }
      #expect(error?.reason == Reason.syncTokenExpired)
      try await bob.follow(server)
      #expect(bob.names == ["a", "b"])
    }
  }

  /// The owner cannot use a participant's token, and a participant cannot use the owner's token.
  @Test func `change tokens of the owner and of a participant are different`() async throws {
    try await withTrees { server in
      try await server.share("a", with: "_bob")
      var (ann, bob) = (SharedDevice(user: SharedServer.ann), SharedDevice(user: "_bob"))
      try await ann.follow(server)
      try await bob.follow(server)
      for (user, token) in [("_bob", ann.token), (SharedServer.ann, bob.token)] {
        let error = await #expect(throws: ServerError.self) {
          try await server.page(of: user, since: token, limit: 9)
        }
        #expect(error?.reason == Reason.syncTokenExpired)
      }
    }
  }

  /// The records of a large subtree join the share in steps. In the owner's history, these steps
  /// have change numbers without changed records.
  @Test
  func `a large subtree joins a share in steps, and the owner's device reads its feed to the end`()
    async throws
  {
    try await withTrees { server in
      var ann = SharedDevice(user: SharedServer.ann)
      try await ann.follow(server)
      for index in 0..<Limits.hierarchyStepMax / 100 {
        let names = (0..<100).map { "child \(index) \($0)" }
        let codes = try await server.modify(
          names.map {
            RecordOperation(
              .create, recordName: $0, recordType: "Note", parent: .set(recordName: "z"))
          }, as: SharedServer.ann)
        #expect(codes.allSatisfy { $0 == nil })
      }
      try await server.save("last", below: "z")
      try await server.share("a", with: "_bob")
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server)
      try await server.save("z", below: "a")
      try await server.continueHierarchies(limit: 300)
      try await bob.follow(server, limit: 200)
      #expect(bob.names.count == 3 + 1 + Limits.hierarchyStepMax + 1)
      try await ann.follow(server, limit: 200)
      #expect(ann.names.count == 6 + Limits.hierarchyStepMax + 1)
      let outcome = try await ann.readPage(
        of: server, limit: 9, isReversed: false, showsDeletedTypes: false)
      #expect(outcome == .complete)
    }
  }

  @Test func `a chain of parents has a maximum length in a zone with shares`() async throws {
    try await withTrees { server in
      try await server.share("a", with: "_bob")
      var last = "z"
      for level in 1..<Limits.hierarchyDepthMax {
        try await server.save("level \(level)", below: last)
        last = "level \(level)"
      }
      let codes = try await server.modify(
        [
          RecordOperation(
            .create, recordName: "too deep", recordType: "Note", parent: .set(recordName: last))
        ], as: SharedServer.ann)
      #expect(codes == [.badRequest])
    }
  }
}

/// A participant's rights in a batch.
@Suite struct `A participant's batch` {
  private func withShare(
    _ permission: SharePermission, _ body: (SharedServer) async throws -> Void
  ) async throws {
    let server = try await SharedServer()
    for (name, parent) in [("a", nil), ("b", "a"), ("hidden", nil)] as [(String, String?)] {
      try await server.save(name, below: parent)
    }
    try await server.share("a", with: "_bob", permission: permission)
    do { try await body(server) } catch {
      server.close()
      throw error
    }
    server.close()
  }

  @Test
  func `a participant needs write permission, stays in the hierarchy and cannot delete its root`()
    async throws
  {
    let rows: [(operation: RecordOperation, reads: ErrorCode?, writes: ErrorCode?)] = [
      (.save("b"), .accessDenied, nil),
      (.save("a"), .accessDenied, nil),
      // The error is the same as for a missing record that the participant may not create.
      (.save("hidden"), .accessDenied, .notFound),
      (.save("new", .set(recordName: "b")), .accessDenied, nil),
      (.save("new"), .accessDenied, .accessDenied),
      // A parent that the participant cannot see is refused like a missing parent.
      (.save("new", .set(recordName: "hidden")), .accessDenied, .validatingReferenceError),
      (.save("new", .set(recordName: "missing")), .accessDenied, .validatingReferenceError),
      (.save("b", .removed), .accessDenied, .accessDenied),
      (.save("b", .set(recordName: "hidden")), .accessDenied, .validatingReferenceError),
      (.delete("b"), .accessDenied, nil),
      (.delete("a"), .accessDenied, .accessDenied),
      (.delete("hidden"), nil, nil),
      (.delete("missing"), nil, nil),
    ]
    for row in rows {
      for (permission, expected) in [(SharePermission.read, row.reads), (.readWrite, row.writes)] {
        try await withShare(permission) { server in
          let codes = try await server.modify([row.operation], as: "_bob")
          #expect(codes == [expected], "\(permission) \(row.operation)")
          let hidden = try await server.lookUp(["hidden"], as: SharedServer.ann)
          #expect(hidden.count == 1, "\(row.operation)")
        }
      }
    }
  }

  /// A record outside the share refers with `deleteSelf` to a record in the share.
  @Test func `a participant cannot delete a record if that also deletes one outside the share`()
    async throws
  {
    try await withShare(.readWrite) { server in
      let reference =
        #"{"to":{"value":{"recordName":"b","action":"DELETE_SELF"},"type":"REFERENCE"}}"#
      var follower = RecordOperation.save("hidden")
      follower.fields = try JSONView(parsing: Array(reference.utf8))
      #expect(try await server.modify([follower], as: SharedServer.ann) == [nil])
      #expect(try await server.modify([.delete("b")], as: "_bob") == [.accessDenied])
      #expect(try await server.lookUp(["b", "hidden"], as: SharedServer.ann).count == 2)
      let move = RecordOperation.save("hidden", .set(recordName: "a"))
      #expect(try await server.modify([move], as: SharedServer.ann) == [nil])
      #expect(try await server.modify([.delete("b")], as: "_bob") == [nil])
      #expect(try await server.lookUp(["b", "hidden"], as: SharedServer.ann).count == 0)
    }
  }
}

/// The list of zones of a shared database.
@Suite struct `The feed of a shared database` {
  @Test
  func `the shared database has more pages until every changed zone is listed`() async throws {
    let server = try await SharedServer()
    let names = (0..<5).map { "Zone \($0)" }
    for name in names { try await server.makeZone(name, sharedWith: "_bob") }
    var token: String?
    func follow() async throws -> Set<String> {
      var found: Set<String> = []
      for _ in 0..<20 {
        let page = try await server.databaseChanges(of: "_bob", since: token, relisting: 2)
        token = page.syncToken
        found.formUnion(page.zones.compactMap(\.zoneID.zoneName))
        if !page.moreComing { return found }
      }
      throw Mishap("the feed has no end")
    }
    #expect(try await follow() == Set(names))
    #expect(try await follow() == [])
    for name in names { try await server.touchZone(name) }
    #expect(try await follow() == Set(names))
    #expect(try await follow() == [])
    server.close()
  }
}

extension SharedDevice {
  var names: Set<String> { Set(held.keys) }

  /// Reads to the end of the history.
  mutating func follow(
    _ server: SharedServer, limit: Int = 2, showsDeletedTypes: Bool = false
  ) async throws {
    for _ in 0..<10_000 {
      let outcome = try await readPage(
        of: server, limit: limit, isReversed: false, showsDeletedTypes: showsDeletedTypes)
      guard case .more = outcome else { return }
    }
    throw Mishap("the history has no end")
  }
}

extension RecordOperation {
  fileprivate static func save(_ name: String, _ parent: ParentChange = .unchanged) -> Self {
    RecordOperation(.forceUpdate, recordName: name, recordType: "Note", parent: parent)
  }

  fileprivate static func delete(_ name: String) -> Self {
    RecordOperation(.forceDelete, recordName: name)
  }
}

extension SharedServer {
  /// Ann saves a record with a parent, or without a parent if `parent` is nil.
  func save(_ name: String, below parent: String?) async throws {
    let change = parent.map { ParentChange.set(recordName: $0) } ?? .removed
    guard try await modify([.save(name, change)], as: Self.ann) == [nil] else {
      throw Mishap("\(name) was not saved")
    }
  }

  func delete(_ name: String) async throws {
    guard try await modify([.delete(name)], as: Self.ann) == [nil] else {
      throw Mishap("\(name) was not deleted")
    }
  }

  /// A user joins the share of a root. If the root is nil, the user joins the share of the whole
  /// zone.
  ///
  /// - Parameter begins: whether the root is not shared yet.
  func share(
    _ root: String?, with user: String, permission: SharePermission = .readWrite,
    begins: Bool = true
  ) async throws {
    let now = now
    try await store.write { (store) throws(ServerError) in
      if let root, begins { try store.beginHierarchy(of: root, in: Self.address, at: now) }
      guard let zone = try store.zone(named: Self.address.name, in: Self.address.database) else {
        throw .fault("no zone")
      }
      try store.join(zone, root: root, permission: permission, user: user)
    }
  }

  /// A user leaves a share.
  func end(_ root: String, for user: String) async throws {
    let now = now
    try await store.write { (store) throws(ServerError) in
      guard let zone = try store.zone(named: Self.address.name, in: Self.address.database) else {
        throw .fault("no zone")
      }
      try store.leave(zone, root: root, user: user, at: now)
    }
  }

  func makeZone(_ name: String, sharedWith user: String) async throws {
    try await store.write { (store) throws(ServerError) in
      let zone = try store.createZone(named: name, in: Self.address.database)
      try store.list(zone, inSharedDatabaseOf: user)
    }
  }

  /// Saves a record in a zone.
  func touchZone(_ name: String) async throws {
    try await store.write { (store) throws(ServerError) in
      guard let zone = try store.lockZone(named: name, in: Self.address.database) else { return }
      let stamp = Stamp(timestamp: 1, userRecordName: Self.ann, deviceID: "d")
      let record = StoredRecord(
        name: "r", type: "Note", change: zone.change + 1, isDeleted: false, created: stamp,
        modified: stamp, parentRecordName: nil, fields: .empty)
      try store.apply(ChangeSet(zone: zone, records: [record]))
    }
  }
}
