import StratusWire
import Testing

@testable import StratusDomain

/// The work for a change if there are very many subscriptions.
@Suite struct `Many subscriptions` {
  @Test func `a matching step reads only subscriptions for the changed values`() async throws {
    try await withScene { scene in
      try await scene.save(
        "first", field("color", #""red""#) + "," + field("count", "1"), scope: .public)
      let store = try await scene.store()
      try await store.write { (store) throws(ServerError) in
        for number in 0..<10_000 {
          let filter = FieldFilter(.equals, QueryKey(field: "color"), .string("c\(number)"))
          let watched = WatchedQuery(
            query: Query(recordType: "Note", filters: [.field(filter)]), firesOn: .create)
          let key = SubscriptionKey.value(
            .text(Array("c\(number)".utf8)), of: "color", in: "Note")
          try store.save(
            Subscription(id: "s", .query(watched)), of: "_u\(number)", in: .public,
            under: WatchKey(
              key: key, subject: .records(type: "Note", field: "color")))
        }
      }
      try await scene.save("a", field("color", #""c7777""#), by: "_bob", scope: .public)
      let matching = MatchChanges(store: store, address: Scene.address, ambient: scene.ambient)
      // The change has one key with one subscription. A step with a limit of two reads both and
      // ends.
      #expect(try await matching.step(limit: 2) == .ended)
      #expect(try await scene.told("_u7777") == ["s: created a"])
      #expect(try await scene.told("_u7778") == [])

      try await scene.save("b", by: "_bob", scope: .public)
      #expect(try await matching.step(limit: 1) == .ended)

      // No subscription is stored under the keys of these records. The look-ups count as reads, so
      // the first step reaches its limit.
      try await scene.change(
        Scene.save("c") + "," + Scene.save("d") + "," + Scene.save("e"), by: "_bob",
        scope: .public)
      #expect(try await matching.step(limit: 2) == .mayHaveMore)
      #expect(try await matching.step(limit: 2) == .ended)
      #expect(
        try await store.read { (store) throws(ServerError) in
          try store.outboxEntries(limit: 1)
        } == [])
    }
  }
}
