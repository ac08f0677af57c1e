import StratusWire
import Testing

@testable import StratusDomain

/// Only subscribers who may read a record are notified of its changes.
@Suite struct ReadAccessInMatching {
  /// Checks which users are notified of Ann's note in the public database.
  private func expectNotified(_ users: [String], grants: RecordGrants) async throws {
    try await withScene { scene in
      try await scene.save("first", by: "_ann", scope: .public)
      for user in ["_ann", "_bob"] {
        try await scene.subscribe(try .query("q"), by: user, scope: .public)
      }
      try await scene.match()
      try await scene.save("a", by: "_ann", scope: .public)
      let notified = try await scene.store().read { (store) throws(ServerError) in
        let schema = Schema(recordTypes: ["Note": RecordType(name: "Note", grants: grants)])
        var matcher = ChangeMatcher(
          store: store, address: Scene.address, schema: schema, budget: 100, now: 0)
        for entry in try store.outboxEntries(limit: 10) { _ = try matcher.match(entry) }
        return matcher.matches.map(\.notification.user).sorted()
      }
      #expect(notified == users)
    }
  }

  @Test func `by default, every subscriber is notified of a public record`() async throws {
    try await expectNotified(["_ann", "_bob"], grants: .standard)
  }

  @Test func `a subscriber who may not read the record is not notified`() async throws {
    let own = RecordGrants(roles: ["_icloud": .create, "_creator": .write])
    try await expectNotified(["_ann"], grants: own)
    let none = RecordGrants()
    try await expectNotified([], grants: none)
  }
}
