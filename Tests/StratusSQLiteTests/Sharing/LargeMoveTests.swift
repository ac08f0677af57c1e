import StratusWire
import Testing

@testable import StratusDomain

/// Moves of more records than one transaction can move.
@Suite struct `A large move out of a share` {
  private func withLargeMove(_ body: (SharedServer) async throws -> Void) async throws {
    let server = try await SharedServer()
    for (name, parent) in [("a", nil), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")]
      as [(String, String?)]
    {
      try await server.save(name, below: parent)
    }
    try await server.share("a", with: "_bob")
    // The first transaction moves only "b" and "c".
    let move = RecordOperation(
      .forceUpdate, recordName: "b", recordType: "Note", parent: .removed)
    let codes = try await server.modify([move], as: SharedServer.ann, followersMax: 1)
    #expect(codes == [nil])
    do { try await body(server) } catch {
      server.close()
      throw error
    }
    server.close()
  }

  @Test
  func `participants have no rights to the records of a large move that has not finished`()
    async throws
  {
    try await withLargeMove { server in
      let zone = SharedServer.address
      let late = try await server.store.read { (store) throws(ServerError) in
        guard let zone = try store.zone(named: zone.name, in: zone.database) else { return 0 }
        return try store.hierarchies(of: ["d", "e"], in: zone).count
      }
      #expect(late > 0)
      #expect(try await server.lookUp(["d", "e"], as: "_bob").isEmpty)
      for kind in [RecordOperation.Kind.forceUpdate, .forceReplace] {
        let save = RecordOperation(kind, recordName: "e", recordType: "Note")
        #expect(try await server.modify([save], as: "_bob") == [.notFound])
      }
      let deletion = RecordOperation(.forceDelete, recordName: "e")
      #expect(try await server.modify([deletion], as: "_bob") == [nil])
      #expect(try await server.lookUp(["e"], as: SharedServer.ann).count == 1)
    }
  }

  @Test func `queries hide the records that have not left the share yet`() async throws {
    try await withLargeMove { server in
      #expect(try await server.query("Note", as: "_bob") == ["a"])
      try await server.continueHierarchies(limit: 9)
      #expect(try await server.query("Note", as: "_bob") == ["a"])
    }
  }

  /// A page's token must not be later than the change of a record that still has to leave the
  /// share. Such a record may join the share again without a newer change.
  @Test
  func `a participant's feed waits for the records that have not left the share yet`()
    async throws
  {
    try await withLargeMove { server in
      var bob = SharedDevice(user: "_bob")
      let error = await #expect(throws: ServerError.self) {
        _ = try await server.page(of: "_bob", since: nil, limit: 9)
        _ = try await server.page(
          of: "_bob", since: try await server.page(of: "_bob", since: nil, limit: 9).syncToken,
          limit: 9)
      }
      #expect(error?.code == .tryAgainLater)
      #expect(error?.retryAfterSeconds == 1)
      try await server.save("b", below: "a")
      try await bob.follow(server)
      #expect(bob.names == ["a", "b", "c", "d", "e"])
    }
  }

  @Test
  func `a participant cannot delete a record if that also deletes one that has to leave the share`()
    async throws
  {
    try await withLargeMove { server in
      try await server.save("target", below: "a")
      var save = RecordOperation(.forceUpdate, recordName: "e", recordType: "Note")
      save.fields = try JSONView(
        parsing: Array(
          #"{"to":{"value":{"recordName":"target","action":"DELETE_SELF"},"type":"REFERENCE"}}"#
            .utf8))
      #expect(try await server.modify([save], as: SharedServer.ann) == [nil])
      let deletion = RecordOperation(.forceDelete, recordName: "target")
      #expect(try await server.modify([deletion], as: "_bob") == [.accessDenied])
      #expect(try await server.lookUp(["e"], as: SharedServer.ann).count == 1)
    }
  }
}

/// The work that remains when one transaction cannot move all records.
@Suite struct `The remaining steps of a large move` {
  private func withServer(_ body: (SharedServer) async throws -> Void) async throws {
    let server = try await SharedServer()
    do { try await body(server) } catch {
      server.close()
      throw error
    }
    server.close()
  }

  private func unfinished(of server: SharedServer) async throws -> [UnfinishedHierarchy] {
    try await server.store.read { (store) throws(ServerError) in
      try store.unfinishedHierarchies(limit: 1_000)
    }
  }

  private func share(_ root: String) -> RecordOperation {
    var share = RecordOperation(
      .create, recordName: "S-" + root, recordType: ShareRecord.recordType)
    share.share = ShareInput(rootRecordName: root, publicPermission: .readWrite)
    return share
  }

  @Test func `only records with children are listed as unfinished moves`() async throws {
    try await withServer { server in
      try await server.save("a", below: nil)
      for index in 0..<30 { try await server.save("leaf \(index)", below: "a") }
      #expect(
        try await server.modify([share("a")], as: SharedServer.ann, followersMax: 10) == [nil])
      #expect(try await unfinished(of: server).map(\.parentName) == ["a"])
      try await server.continueHierarchies(limit: 10, stepsMax: 3)
      #expect(try await unfinished(of: server).count <= 1)
      try await server.share("a", with: "_bob", begins: false)
      var bob = SharedDevice(user: "_bob")
      try await server.continueHierarchies(limit: 10)
      try await bob.follow(server)
      #expect(bob.names.count == 32)
    }
  }

  @Test func `one step finishes the moves of several parents`() async throws {
    try await withServer { server in
      try await server.save("a", below: nil)
      for index in 0..<20 {
        try await server.save("folder \(index)", below: "a")
        try await server.save("item \(index)", below: "folder \(index)")
      }
      #expect(
        try await server.modify([share("a")], as: SharedServer.ann, followersMax: 20) == [nil])
      #expect(try await unfinished(of: server).count >= 20)
      try await server.continueHierarchies(limit: 1_000, stepsMax: 1)
      #expect(try await unfinished(of: server).isEmpty)
    }
  }

  /// The children of more than 20 folders must still join the hierarchy of the root. The server
  /// refuses a user only if such work moves records out of the share.
  @Test
  func `users can accept a share while records still join it, but not while records leave it`()
    async throws
  {
    try await withServer { server in
      try await server.save("a", below: nil)
      for index in 0..<25 {
        try await server.save("folder \(index)", below: "a")
        try await server.save("item \(index)", below: "folder \(index)")
      }
      #expect(
        try await server.modify([share("a")], as: SharedServer.ann, followersMax: 25) == [nil])
      let shown = try await server.lookUp(["S-a"], as: SharedServer.ann)["S-a"]
      #expect(try await server.accept(try #require(shown?.shortGUID), as: "_bob") == nil)
      // When a folder leaves the share, the records in the folder must still leave, too.
      let move = RecordOperation(
        .forceUpdate, recordName: "folder 1", recordType: "Note", parent: .removed)
      #expect(try await server.modify([move], as: SharedServer.ann, followersMax: 0) == [nil])
      #expect(
        try await server.accept(try #require(shown?.shortGUID), as: "_cid") == .tryAgainLater)
      try await server.continueHierarchies(limit: 100)
      #expect(try await server.accept(try #require(shown?.shortGUID), as: "_cid") == nil)
    }
  }

  @Test func `the zones take turns in the work on large moves`() async throws {
    try await withServer { server in
      let zones = ["Trips", "Other"]
      try await server.store.write { (store) throws(ServerError) in
        _ = try store.createZone(named: "Other", in: SharedServer.address.database)
        for name in zones {
          guard let zone = try store.zone(named: name, in: SharedServer.address.database) else {
            continue
          }
          for index in 0..<10 {
            try store.addUnfinished(UnfinishedHierarchy(zone: zone, parentName: "p\(index)"))
          }
        }
      }
      let work = ContinueHierarchies(
        store: server.store, ambient: Ambient(now: { 1 }, makeUUID: { "U" }))
      for _ in 0..<6 { #expect(try await work.step(limit: 1)) }
      let left = try await unfinished(of: server)
      for zone in zones { #expect(left.count { $0.zone.name == zone } == 7) }
    }
  }
}
