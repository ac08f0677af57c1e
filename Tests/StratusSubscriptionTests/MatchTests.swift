import StratusDomain
import StratusWire
import Testing

/// The notifications that changes cause (docs/internals/notifications.md).
@Suite struct `Matched changes` {
  private let red = field("color", #""red""#)
  private let blue = field("color", #""blue""#)
  private let isRed = filter("EQUALS", "color", #""red""#)

  /// Runs a test with a custom zone and a record type that has a colour.
  private func withColors(_ body: (Scene) async throws -> Void) async throws {
    try await withScene { scene in
      try await scene.zones(make: ["Z"])
      try await scene.save("first", blue)
      try await body(scene)
    }
  }

  @Test(
    arguments: [
      (FiresOn.create, ["s: created a"]), (.update, ["s: updated a", "s: updated a"]),
      (.delete, ["s: deleted a"]),
      (
        [.create, .update, .delete],
        ["s: created a", "s: updated a", "s: updated a", "s: deleted a"]
      ),
    ] as [(FiresOn, [String])])
  func `a query subscription fires only on the kinds of change in its options`(
    _ firesOn: FiresOn, _ expected: [String]
  ) async throws {
    try await withColors { scene in
      try await scene.subscribe(try .query("s", on: firesOn))
      try await scene.save("a", red)
      try await scene.save("a", blue)
      try await scene.save("a", red)
      try await scene.delete("a")
      #expect(try await scene.told() == expected)
    }
  }

  /// The record's colour before and after the change, and the expected notifications. The value nil
  /// means that there is no record, and an empty text means that the record has no colour.
  @Test(
    arguments: [
      (nil, "red", ["s: created a"]), (nil, "blue", []), ("red", "red", ["s: updated a"]),
      ("red", "blue", ["s: updated a"]), ("blue", "red", ["s: updated a"]), ("blue", "blue", []),
      ("red", nil, ["s: deleted a"]), ("blue", nil, []), ("", "red", ["s: updated a"]),
      ("red", "", ["s: updated a"]), ("", "", []),
    ] as [(String?, String?, [String])])
  func `a query subscription compares the states before and after a change`(
    _ before: String?, _ after: String?, _ expected: [String]
  ) async throws {
    try await withColors { scene in
      func save(_ color: String) async throws {
        try await scene.save("a", color.isEmpty ? "" : field("color", "\"\(color)\""))
      }
      if let before { try await save(before) }
      try await scene.subscribe(try .query("s", isRed))
      if let after { try await save(after) } else { try await scene.delete("a") }
      #expect(try await scene.told() == expected)
    }
  }

  @Test
  func `every saved state is matched, even if saves are faster than the matching`() async throws {
    try await withColors { scene in
      try await scene.subscribe(try .query("s", isRed))
      try await scene.save("a", red)
      try await scene.save("a", blue)
      try await scene.save("a", blue)
      try await scene.delete("a")
      #expect(try await scene.told() == ["s: created a", "s: updated a"])
    }
  }

  @Test func `a query subscription may be limited to one zone`() async throws {
    try await withColors { scene in
      try await scene.zones(make: ["Y"])
      try await scene.subscribe(
        try .query("all"), try .query("z", zone: "Z"), try .query("d", zone: "_defaultZone"))
      try await scene.save("a", in: "Z")
      try await scene.save("b", in: "Y")
      try await scene.save("c")
      #expect(
        Set(try await scene.told()) == [
          "all: created a", "z: created a", "all: created b", "all: created c", "d: created c",
        ])
    }
  }

  @Test
  func `a subscription with firesOnce is deleted with its first notification`() async throws {
    try await withColors { scene in
      try await scene.subscribe(try .query("once", once: true), try .query("often"))
      try await scene.change(Scene.save("a") + "," + Scene.save("b"))
      try await scene.save("c")
      #expect(
        Set(try await scene.told()) == [
          "once: created a", "often: created a", "often: created b", "often: created c",
        ])
      #expect(try await scene.listed() == ["often"])
    }
  }

  @Test
  func `a request causes one notification for each zone or database subscription`() async throws {
    try await withColors { scene in
      try await scene.zones(make: ["Y"])
      try await scene.subscribe(
        .zone("z", "Z").visible, .zone("y", "Y").visible, .database("d").visible)
      try await scene.change(Scene.save("a") + "," + Scene.save("b"), in: "Z")
      #expect(try await scene.told().sorted() == ["d: database", "z: zone Z"])
      let inZone = { (name: String) in
        Scene.save(name).replacing(
          #""recordName":"\#(name)","#,
          with: #""recordName":"\#(name)","zoneID":{"zoneName":"\#(name)"},"#)
      }
      try await scene.change(inZone("Z") + "," + inZone("Y"))
      let heard = try await scene.heard()
      let words = try heard.map { try $0.payload().event.word }.sorted()
      #expect(
        words == [
          "d: database", "y: zone Y", "z: zone Z",
        ])
      #expect(Set(heard.map(\.notificationID)).count == 1)
    }
  }

  @Test func `a zone or database subscription ignores changes in the default zone`() async throws {
    try await withColors { scene in
      try await scene.subscribe(.database("d"))
      try await scene.save("a")
      #expect(try await scene.told() == [])
      let left = try await scene.store().read { (store) throws(ServerError) in
        try store.outboxEntries(limit: 1).count
      }
      #expect(left == 0)
    }
  }

  @Test func `a zone or database subscription may be limited to one record type`() async throws {
    try await withColors { scene in
      try await scene.subscribe(
        .zone("z", "Z", type: "Task").visible, .database("d", type: "Task").visible)
      try await scene.save("a", in: "Z")
      #expect(try await scene.told() == [])
      try await scene.change(
        Scene.save("b") + "," + Scene.save("c", type: "Task"), in: "Z")
      #expect(try await scene.told().sorted() == ["d: database", "z: zone Z"])
      try await scene.delete("c", in: "Z")
      #expect(try await scene.told().sorted() == ["d: database", "z: zone Z"])
      try await scene.zones(make: ["Y"])
      #expect(try await scene.told() == [])
      try await scene.zones(delete: ["Y"])
      #expect(try await scene.told() == ["d: database"])
    }
  }

  @Test func `a database subscription fires when zones are created and deleted`() async throws {
    try await withColors { scene in
      try await scene.subscribe(.database("d").visible, .zone("z", "Z").visible)
      try await scene.zones(make: ["Y"])
      #expect(try await scene.told() == ["d: database"])
      try await scene.zones(make: ["Y"])
      #expect(try await scene.told() == [])
      try await scene.zones(delete: ["Z"])
      #expect(try await scene.told() == ["d: database"])
      #expect(try await scene.listed() == ["d"])
    }
  }

  @Test func `a database subscription fires on a reset of encryption keys`() async throws {
    try await withColors { scene in
      let old = [UInt8](repeating: 4, count: 65)
      _ = try await scene.answer(
        RegisterUserKey.self, RegisterUserKey.Request(publicKey: old))
      try await scene.store().write { (store) throws(ServerError) in
        guard let zone = try store.zone(named: "Z", in: .private(owner: "_ann")) else { return }
        try store.add(
          WrappedZoneKey(keyID: [1], recipient: old, wrapped: [2]), to: zone)
      }
      try await scene.subscribe(.database("d").visible)
      _ = try await scene.answer(
        ResetKeys.self,
        ResetKeys.Request(publicKey: [UInt8](repeating: 5, count: 65), replacedKey: old))
      #expect(try await scene.told() == ["d: database"])
    }
  }

  @Test
  func `silent notifications of a zone replace each other, but visible ones do not`() async throws {
    try await withColors { scene in
      try await scene.subscribe(.zone("silent", "Z"), .zone("loud", "Z").visible)
      for name in ["a", "b", "c"] { try await scene.save(name, in: "Z") }
      #expect(
        try await scene.told().sorted()
          == ["loud: zone Z", "loud: zone Z", "loud: zone Z", "silent: zone Z"])
    }
  }

  @Test
  func `a notification names the device of the change only to the user who made the change`()
    async throws
  {
    try await withColors { scene in
      try await scene.save("x", scope: .public)
      for user in ["_ann", "_bob"] {
        try await scene.subscribe(try .query("s"), by: user, scope: .public)
      }
      try await scene.save("a", by: "_ann", device: "phone", scope: .public)
      #expect(try await scene.heard("_ann").map(\.originDeviceID) == ["phone"])
      #expect(try await scene.heard("_bob").map(\.originDeviceID) == [nil])
      // The router uses the device name "1" if a request contains no device name.
      try await scene.save("b", by: "_ann", device: "1", scope: .public)
      #expect(try await scene.heard("_ann").map(\.originDeviceID) == [nil])
    }
  }

  @Test func `a subscription does not fire for a change from before its creation`() async throws {
    try await withColors { scene in
      try await scene.subscribe(try .query("early"))
      try await scene.save("a")
      try await scene.subscribe(try .query("late"))
      try await scene.save("b")
      #expect(
        Set(try await scene.told()) == ["early: created a", "early: created b", "late: created b"])
    }
  }

  @Test
  func `a subscription that is deleted before the matching of a change does not fire`() async throws
  {
    try await withColors { scene in
      try await scene.subscribe(try .query("s"))
      try await scene.save("a")
      _ = try await scene.modify([.delete(id: "s")])
      #expect(try await scene.told() == [])
    }
  }

  @Test
  func `a replaced subscription fires for earlier changes that were not matched yet`() async throws
  {
    try await withColors { scene in
      try await scene.subscribe(try .query("s", filter("EQUALS", "color", #""blue""#)))
      try await scene.save("a", red)
      try await scene.subscribe(try .query("s", isRed))
      #expect(try await scene.told() == ["s: created a"])
    }
  }

  @Test func `a change without any subscription leaves no outbox entry`() async throws {
    try await withColors { scene in
      try await scene.subscribe(try .query("s", type: "Note"))
      _ = try await scene.modify([.delete(id: "s")])
      try await scene.save("a")
      try await scene.save("t", in: "Z", type: "Task")
      let left = try await scene.store().read { (store) throws(ServerError) in
        try store.outboxEntries(limit: 1).count
      }
      #expect(left == 0)
    }
  }

  @Test func `a failed atomic batch causes no notification`() async throws {
    try await withColors { scene in
      try await scene.subscribe(try .query("s"), .zone("z", "Z"))
      let request = try ModifyRecords.Request(
        jsonBytes: Array(
          (#"{"zoneID":{"zoneName":"Z"},"operations":["# + Scene.save("a")
            + #",{"operationType":"update","record":{"recordName":"no","recordType":"Note","#
            + #""recordChangeTag":"1","fields":{}}}]}"#).utf8))
      _ = try await scene.answer(ModifyRecords.self, request)
      #expect(try await scene.told() == [])
    }
  }

  @Test func `deletions by a cascade cause notifications`() async throws {
    try await withColors { scene in
      try await scene.subscribe(try .query("s", on: .delete), .zone("z", "Z"))
      let leads = { (name: String) in
        Scene.save(
          name, #""up":{"value":{"recordName":"t","action":"DELETE_SELF"},"type":"REFERENCE"}"#)
      }
      try await scene.change(Scene.save("t"), in: "Z")
      for start in stride(from: 0, to: 1_200, by: 300) {
        let batch = (start..<start + 300).map { leads("c\($0)") }.joined(separator: ",")
        try await scene.change(batch, in: "Z")
      }
      // The matching of so many records takes several steps, and each step sends a notification.
      #expect(Set(try await scene.told()) == ["z: zone Z"])
      try await scene.delete("t", in: "Z")
      let cascades = ContinueCascades(store: try await scene.store(), ambient: scene.ambient)
      while try await cascades.step() {}
      let told = try await scene.told()
      #expect(told.filter { $0.hasPrefix("s: ") }.count == 1_201)
      let names = ["t"] + (0..<1_200).map { "c\($0)" }
      #expect(Set(told) == Set(names.map { "s: deleted \($0)" } + ["z: zone Z"]))
    }
  }

  @Test func `a signal is sent when an outbox entry is added`() async throws {
    try await withColors { scene in
      try await scene.save("quiet")
      try await scene.subscribe(try .query("s"))
      try await scene.save("a")
      var signals = scene.changes.received.makeAsyncIterator()
      #expect(await signals.next()?.address == Scene.address)
      #expect(try await scene.told() == ["s: created a"])
    }
  }
}
