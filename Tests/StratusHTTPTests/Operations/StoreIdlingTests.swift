import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// The server closes stores that no request uses, and opens them again at the next request. Before
/// the server closes a store, it completes the unfinished work of the store.
@Suite(.enabled(if: TestEngine.hasFiles, "only stores of SQLite are closed"))
struct `A store without requests` {
  private static func address(_ environment: ContainerEnvironment) -> StoreAddress {
    StoreAddress(container: "iCloud.org.example.Notes", environment: environment)
  }

  /// Lets time pass until the server closes the store.
  private func close(
    _ address: StoreAddress, of server: TestServer, _ clock: MovedClock
  ) async throws {
    #expect(server.isOpen(address))
    clock.move(bySeconds: 61)
    for _ in 0..<100 where server.isOpen(address) {
      await server.closeIdleStores(idleSeconds: 60)
    }
    #expect(!server.isOpen(address))
  }

  @Test func `a store is closed after all changes of shared hierarchies are complete`()
    async throws
  {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Trips")
      try await anna.save("Rome", in: "Trips")
      let user = try #require(try await anna.post("users/caller")["userRecordName"].string)
      let address = Self.address(.development)
      let store = try await server.store(at: address)
      let count = try await store.write { (store) throws(ServerError) in
        guard let zone = try store.zone(named: "Trips", in: .private(owner: user)) else { return 0 }
        try store.addUnfinished(UnfinishedHierarchy(zone: zone, parentName: "Rome"))
        return try store.unfinishedHierarchies(limit: 9).count
      }
      #expect(count == 1)
      try await close(address, of: server, clock)
      let rest = try await store.read { (store) throws(ServerError) in
        try store.unfinishedHierarchies(limit: 9)
      }
      #expect(rest.isEmpty)
    }
  }

  @Test func `a store is closed after the values of dropped fields are removed`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      try await SchemaManagement.makeContainer(server)
      _ = try await SchemaManagement.change(
        server, "production",
        to: """
          DEFINE SCHEMA
          RECORD TYPE Note (
            title STRING, text STRING, GRANT READ TO "_world", GRANT CREATE TO "_icloud");
          """)
      var anna = try await server.client("anna@example.org")
      anna.environment = "production"
      try await anna.save("n-1", fields: ["title": ["value": "x"], "text": ["value": "y"]])
      let place: JSON = [
        "containerID": "\(SchemaManagement.container)", "environment": "production",
        "place": "Note.title",
      ]
      try await server.manage("schema/retire", place.with("action", "report"))
      try await server.manage(
        "schema/retire", place.with("action", "drop").with("isForced", true))
      let address = Self.address(.production)
      let store = try await server.store(at: address)
      let pending = try await store.read { (store) throws(ServerError) in
        try store.schema().retirements.count
      }
      #expect(pending == 1)
      try await close(address, of: server, clock)
      let rest = try await store.read { (store) throws(ServerError) in
        try store.schema().retirements.count
      }
      #expect(rest == 0)
    }
  }
}
