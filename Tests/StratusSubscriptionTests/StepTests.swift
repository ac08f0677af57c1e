import Foundation
import StratusDomain
import StratusWire
import Testing

/// Changes of subscriptions and stops of the server during the steps of matching.
@Suite struct `Steps of matching` {
  @Test(arguments: [1, 2, 3, 7, 1_000])
  func `matching steps of every size give the same notifications`(_ limit: Int) async throws {
    try await withScene { scene in
      try await scene.zones(make: ["Z"])
      try await scene.save("first", field("color", #""red""#))
      for number in 0..<5 {
        try await scene.subscribe(
          try .query("all\(number)"),
          try .query("red\(number)", filter("EQUALS", "color", #""red""#)),
          .zone("zone\(number)", "Z").visible, .database("data\(number)").visible)
      }
      let records = ["a", "b", "c"].map { Scene.save($0, field("color", #""red""#)) }
      try await scene.change(records.joined(separator: ","), in: "Z")
      try await scene.change(
        Scene.delete("a") + "," + Scene.save("b", field("color", #""blue""#)), in: "Z")
      var expected: [String] = []
      for number in 0..<5 {
        for name in ["a", "b", "c"] {
          expected += ["all\(number): created \(name)", "red\(number): created \(name)"]
        }
        for change in ["deleted a", "updated b"] {
          expected += ["all\(number): \(change)", "red\(number): \(change)"]
        }
        expected += ["zone\(number): zone Z", "zone\(number): zone Z"]
        expected += ["data\(number): database", "data\(number): database"]
      }
      #expect(try await scene.told(matching: limit).sorted() == expected.sorted())
      let (entries, image) = try await scene.store().read { (store) throws(ServerError) in
        (try store.outboxEntries(limit: 1), try store.recordImage(at: 0, of: 1))
      }
      #expect(entries == [])
      #expect(image == nil)
    }
  }

  @Test
  func `matching continues after a restart of the server between two steps`() async throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-match-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    var scene = try Scene(at: url)
    try await scene.save("first")
    for number in 0..<10 { try await scene.subscribe(try .query("s\(number)")) }
    try await scene.change(Scene.save("a") + "," + Scene.save("b"))
    var steps = 0
    var goesOn = true
    while goesOn {
      await scene.close()
      scene = try Scene(at: url)
      goesOn = try await MatchChanges(
        store: try await scene.store(), address: Scene.address, ambient: scene.ambient
      ).step(limit: 3).mayHaveMore
      steps += 1
    }
    let told = try await scene.heard(matching: nil).map { try $0.payload().event.word }
    #expect(steps > 5)
    #expect(
      told.sorted()
        == (0..<10).flatMap { ["s\($0): created a", "s\($0): created b"] }.sorted())
    await scene.close()
  }

  /// Simulates a crash at the end of a transaction. The crash undoes the writes of the transaction.
  @Test func `a matching step that cannot be written changes nothing`() async throws {
    try await withScene { scene in
      try await scene.save("first")
      try await scene.subscribe(try .query("s", once: true))
      try await scene.save("a")
      let store = FailingStore(store: try await scene.store())
      let changes = MatchChanges(store: store, address: Scene.address, ambient: scene.ambient)
      await #expect(throws: ServerError.self) { _ = try await changes.step() }
      #expect(try await scene.heard(matching: nil).isEmpty)
      #expect(try await scene.listed() == ["s"])
      #expect(try await scene.told() == ["s: created a"])
      #expect(try await scene.listed() == [])
    }
  }

  @Test func `a matching step does not repeat the work of another process`() async throws {
    try await withScene { scene in
      try await scene.save("first")
      try await scene.subscribe(try .query("s"))
      try await scene.save("a")
      let real = try await scene.store()
      let slow = SlowStore(store: real) { try? await scene.match() }
      let changes = MatchChanges(store: slow, address: Scene.address, ambient: scene.ambient)
      _ = try await changes.step()
      #expect(try await scene.told() == ["s: created a"])
    }
  }

  /// The test replaces the subscription after 0 to 19 steps. The replacement happens between two
  /// steps or within one step.
  @Test(arguments: Replacement.all, [false, true])
  func `a subscription that is replaced during its matching still fires`(
    _ replacement: Replacement, _ isWithinStep: Bool
  ) async throws {
    for steps in 0..<20 {
      try await withScene { scene in
        try await scene.zones(make: ["Z"])
        try await scene.save("first", field("color", #""red""#))
        let red = filter("EQUALS", "color", #""red""#)
        try await scene.subscribe(
          try .query("q1"), try .query("r1", red), .zone("z1", "Z").visible,
          .database("d1").visible)
        try await scene.subscribe(replacement.old)
        try await scene.subscribe(
          try .query("q2"), try .query("r2", red), .zone("z2", "Z").visible,
          .database("d2").visible)
        let records = ["a", "b"].map { Scene.save($0, field("color", #""red""#)) }
        try await scene.change(records.joined(separator: ","), in: "Z")
        let real = try await scene.store()
        let changes = MatchChanges(
          store: real, address: Scene.address, ambient: scene.ambient)
        for _ in 0..<steps { _ = try await changes.step(limit: 1) }
        if isWithinStep {
          let slow = SlowStore(store: real) { _ = try? await scene.subscribe(replacement.new) }
          _ = try await MatchChanges(
            store: slow, address: Scene.address, ambient: scene.ambient
          ).step(limit: 1)
        } else {
          try await scene.subscribe(replacement.new)
        }
        let told = try await scene.told(matching: 1)
        let others = (1...2).flatMap { number in
          ["q", "r"].flatMap { kind in
            ["a", "b"].map { "\(kind)\(number): created \($0)" }
          } + ["z\(number): zone Z", "d\(number): database"]
        }
        #expect(told.filter { !$0.hasPrefix("s:") }.sorted() == others.sorted(), "\(steps)")
        let own = told.filter { $0.hasPrefix("s:") }
        if replacement.hearsOnce {
          #expect(own.sorted() == ["s: created a", "s: created b"], "\(steps)")
        } else {
          #expect(!own.isEmpty, "\(steps)")
        }
      }
    }
  }

  @Test
  func `a subscription with firesOnce that is replaced within a matching step fires once`()
    async throws
  {
    try await withScene { scene in
      try await scene.save("first")
      try await scene.subscribe(try .query("s", once: true))
      try await scene.save("a")
      try await scene.save("b")
      let slow = SlowStore(store: try await scene.store()) {
        _ = try? await scene.subscribe(try .query("s", on: .create, once: true))
      }
      _ = try await MatchChanges(
        store: slow, address: Scene.address, ambient: scene.ambient
      ).step()
      #expect(try await scene.told() == ["s: created a"])
      #expect(try await scene.listed() == [])
    }
  }

  @Test func `a subscription that is deleted within a matching step does not fire`() async throws {
    try await withScene { scene in
      try await scene.save("first")
      try await scene.subscribe(try .query("s"), try .query("t"))
      try await scene.save("a")
      let slow = SlowStore(store: try await scene.store()) {
        _ = try? await scene.modify([.delete(id: "s")])
        _ = try? await scene.subscribe(try .query("s", on: .create))
      }
      _ = try await MatchChanges(
        store: slow, address: Scene.address, ambient: scene.ambient
      ).step()
      #expect(try await scene.told() == ["t: created a"])
    }
  }

  @Test
  func `a subscription that is no longer legal does not stop other subscriptions`() async throws {
    try await withScene { scene in
      try await scene.save("first", field("color", #""red""#))
      try await scene.allowExtensions(true)
      try await scene.subscribe(
        try .query("s", filter("ENDS_WITH", "color", #""d""#)), try .query("t"))
      try await scene.save("a", field("color", #""red""#))
      #expect(Set(try await scene.told()) == ["s: created a", "t: created a"])
      try await scene.allowExtensions(false)
      try await scene.save("b", field("color", #""red""#))
      #expect(try await scene.told() == ["t: created b"])
      #expect(try await scene.listed() == ["s", "t"])
    }
  }
}

/// A subscription, and the subscription that replaces it.
struct Replacement: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var old: Subscription
  var new: Subscription
  /// Whether each record causes exactly one notification, whenever the replacement happens.
  var hearsOnce = false

  /// A matching step uses the keys in this order: the database, zones, record types, values.
  static let all: [Replacement] = {
    let red = filter("EQUALS", "color", #""red""#)
    guard let ofType = try? Subscription.query("s"), let ofValue = try? Subscription.query("s", red)
    else {
      return []
    }
    let (zone, database) = (Subscription.zone("s", "Z").visible, Subscription.database("s").visible)
    return [
      Replacement(
        testDescription: "a value query by a type query", old: ofValue, new: ofType,
        hearsOnce: true),
      Replacement(testDescription: "a type query by a value query", old: ofType, new: ofValue),
      Replacement(testDescription: "a zone by a database subscription", old: zone, new: database),
      Replacement(testDescription: "a value query by a zone subscription", old: ofValue, new: zone),
      Replacement(testDescription: "a database subscription by query", old: database, new: ofType),
    ]
  }()
}

extension Scene {
  fileprivate func allowExtensions(_ areAllowed: Bool) async throws {
    try await store().write { (store) throws(ServerError) in
      try store.set(ContainerSettings(allowsQueryExtensions: areAllowed))
    }
  }
}

/// A store in which each write fails at its end, so that nothing is stored.
private struct FailingStore: Store {
  let store: any Store

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value { try await store.read(body) }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await store.write { (store) throws(ServerError) in
      _ = try body(store)
      throw ServerError.fault("the disk is full")
    }
  }
}

/// A store in which another change happens after a read and before the next write.
private struct SlowStore: Store {
  let store: any Store
  let meanwhile: @Sendable () async -> Void

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value { try await store.read(body) }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    await meanwhile()
    return try await store.write(body)
  }
}
