import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// Compares the queued notifications for random subscriptions and changes with those of a naive
/// evaluation.
@Suite struct `Random matching` {
  /// This number of runs takes a few seconds in a debug build.
  private static let runs: UInt64 = 16
  private static let steps = 60

  @Test func `every subscriber gets exactly the notifications of its subscriptions`() async throws {
    let variables = ProcessInfo.processInfo.environment
    let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) }
    var told = 0
    for seed in seed.map({ $0...$0 }) ?? 1...Self.runs {
      try await withScene { scene in
        var run = ChanceRun(scene: scene, chance: SeededChance(seed: seed))
        do { told += try await run.run(steps: Self.steps) } catch {
          Issue.record(
            "seed \(seed) (STRATUS_SEED=\(seed)): \(error)\n\(run.log.joined(separator: "\n"))")
        }
      }
    }
    // With few notifications, the runs would not show enough.
    if seed == nil { #expect(told > Int(Self.runs) * 20) }
  }
}

/// A server and a naive evaluation that get the same random events.
private struct ChanceRun {
  struct Wrong: Error, CustomStringConvertible { let description: String }

  let scene: Scene
  var chance: SeededChance
  var log: [String] = []
  private var world = NaiveWorld()
  private var newest = 0

  init(scene: Scene, chance: SeededChance) {
    self.scene = scene
    self.chance = chance
  }

  /// - Returns: the number of notifications that the users received.
  mutating func run(steps: Int) async throws -> Int {
    // The schema gets its fields from these saves.
    for scope in NaiveWorld.scopes {
      for type in NaiveWorld.types {
        try await change(
          [NaiveRecord(name: "0" + type, type: type, color: "red", count: 1, tags: ["x"])],
          in: "_defaultZone", of: scope)
      }
    }
    var told = 0
    for _ in 0..<steps {
      switch Int.random(in: 0..<20, using: &chance) {
      case 0...4: try await subscribe()
      case 5: try await replaceOrDelete()
      case 6: try await makeOrDeleteZone()
      case 7...9: told += try await compare()
      case _: try await change()
      }
    }
    return try await told + compare()
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &chance)]
  }

  // Changes.
  private mutating func change() async throws {
    let scope = pick(NaiveWorld.scopes)
    let zones = scope == .public ? ["_defaultZone"] : ["_defaultZone"] + world.zones.sorted()
    let zone = pick(zones)
    var names = ["a", "b", "c", "d", "e"].shuffled(using: &chance)
    var records: [NaiveRecord] = []
    var deleted: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &chance) {
      guard let name = names.popLast() else { break }
      if chance.percent(25) {
        deleted.append(name)
      } else {
        let type = world.record(name, in: zone, of: scope)?.type ?? pick(NaiveWorld.types)
        records.append(
          NaiveRecord(
            name: name, type: type, color: pick([nil, "red", "blue", "reddish"]),
            count: pick([nil, 0, 1, 2]), tags: pick([[], ["x"], ["x", "y"], ["z"]])))
      }
    }
    try await change(records, deleting: deleted, in: zone, of: scope)
  }

  private mutating func change(
    _ records: [NaiveRecord], deleting deleted: [String] = [], in zone: String,
    of scope: DatabaseScope
  ) async throws {
    log.append("\(scope) \(zone): \(records), deletes \(deleted)")
    let operations = records.map(\.operation) + deleted.map(Scene.delete)
    try await scene.change(operations.joined(separator: ","), in: zone, scope: scope)
    world.change(records, deleting: deleted, in: zone, of: scope)
  }

  private mutating func makeOrDeleteZone() async throws {
    let name = pick(["Y", "Z"])
    if world.zones.contains(name) {
      // The deletion of the zone deletes the zone's subscriptions. Earlier changes must therefore
      // be matched and compared before the deletion.
      _ = try await compare()
      log.append("deletes zone \(name)")
      try await scene.zones(delete: [name])
      world.deleteZone(name)
    } else {
      log.append("makes zone \(name)")
      try await scene.zones(make: [name])
      world.makeZone(name)
    }
  }

  // Subscriptions.
  private mutating func subscribe(id: String? = nil, in given: DatabaseScope? = nil) async throws {
    newest += 1
    let scope = given ?? pick(NaiveWorld.scopes)
    let user = scope == .public && id == nil ? pick(["_ann", "_bob"]) : "_ann"
    let type = chance.percent(30) ? pick(NaiveWorld.types) : nil
    let subject: NaiveSubscription.Subject
    switch scope == .public ? 2 : Int.random(in: 0..<4, using: &chance) {
    case 0 where !world.zones.isEmpty:
      subject = .zone(pick(world.zones.sorted()), type)
    case 1: subject = .database(type)
    case _:
      let zones = scope == .public ? ["_defaultZone"] : ["_defaultZone"] + world.zones.sorted()
      var firesOn: FiresOn = FiresOn(rawValue: Int.random(in: 1...7, using: &chance))
      if chance.percent(50) { firesOn = [.create, .update, .delete] }
      subject = .query(
        NaiveQuery(
          type: pick(NaiveWorld.types), tests: randomTests(), firesOn: firesOn,
          once: chance.percent(20), zone: chance.percent(20) ? pick(zones) : nil))
    }
    let subscription = NaiveSubscription(
      id: id ?? "s\(newest)", user: user, scope: scope, subject: subject)
    log.append("subscribes \(subscription)")
    let items = try await scene.subscribe(subscription.wire().visible, by: user, scope: scope)
    guard case .subscription = items.first else { throw Wrong(description: "\(items)") }
    world.save(subscription)
  }

  private mutating func randomTests() -> [NaiveTest] {
    (0..<pick([0, 1, 1, 1, 2, 3])).map { _ in
      let color = pick(["red", "blue", "green"])
      let count = Int.random(in: 0...2, using: &chance)
      return pick([
        NaiveTest.colorIs(color), .colorIs(color), .colorIsNot(color), .colorIsIn(["red", color]),
        .colorBegins("red"), .countIs(count), .countIsMore(count), .countIsNot(count),
        .hasTag(pick(["x", "y", "z"])), .hasNotTag("x"), .isNamed(pick(["a", "b"])),
      ])
    }
  }

  /// Matches all changes before the replacement, because they belong to the earlier subscription.
  private mutating func replaceOrDelete() async throws {
    _ = try await compare()
    let own = world.subscriptions.filter { $0.user == "_ann" }
    if own.isEmpty { return }
    let subscription = pick(own)
    if chance.percent(50) {
      try await subscribe(id: subscription.id, in: subscription.scope)
    } else {
      log.append("deletes \(subscription.id)")
      _ = try await scene.modify([.delete(id: subscription.id)], scope: subscription.scope)
      world.delete(subscription)
    }
  }

  private mutating func compare() async throws -> Int {
    let limit = pick([1, 2, 5, 1_000])
    log.append("matches by \(limit)")
    var count = 0
    for user in ["_ann", "_bob"] {
      var heard: [String] = []
      for notification in try await scene.heard(user, matching: limit) {
        let event = try notification.payload().event
        // If a step ends between the changes of one request, a database subscription may get two
        // notifications for the request. Both have the same ID and count as one.
        if case .database = event {
          heard.append(event.word + " \(notification.notificationID)")
        } else {
          heard.append(event.word)
        }
      }
      let databases = Set(heard.filter { $0.contains(": database ") })
      let rest = heard.filter { !$0.contains(": database ") }
      let all = (rest + databases.map { String($0.prefix { $0 != " " }) + " database" }).sorted()
      let expected = world.takeExpected(user)
      guard all == expected.sorted() else {
        throw Wrong(description: "\(user) received \(all), expected \(expected.sorted())")
      }
      count += all.count
    }
    return count
  }
}
