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
}
