import Foundation
import StratusWire
import Testing

@testable import StratusDomain

/// The properties that are removed from a notification that is too long.
@Suite struct `Pruning of notifications` {
  /// The paths of values in the payload, the most important one first. Choice: the places of
  /// `mutable-content` and `category` in this order.
  private static let order = [
    "aps.badge", "aps.alert.loc-key", "aps.alert.loc-args", "aps.alert.body",
    "aps.alert.action-loc-key", "aps.alert.launch-image", "aps.sound", "aps.content-available",
    "aps.mutable-content", "aps.category", "ck.qry.af", "ck.qry.fo", "ck.qry.rid", "ck.cid",
    "ck.ckuserid", "aps.alert.title-loc-key", "aps.alert.title-loc-args", "aps.alert.title",
    "aps.alert.subtitle-loc-key", "aps.alert.subtitle-loc-args", "aps.alert.subtitle",
  ]

  private static func full() -> NotificationPayload {
    var shown = NotificationPayload.Presentation()
    shown.badge = 1_000_000
    shown.localizationKey = "BODY_KEY"
    shown.localizationArgs = ["argument", "of the body"]
    shown.body = "the body"
    shown.actionLocalizationKey = "ACTION"
    shown.launchImage = "launch.png"
    shown.soundName = "default"
    shown.isContentAvailable = true
    shown.isMutableContent = true
    shown.category = "MESSAGE"
    shown.titleLocalizationKey = "TITLE_KEY"
    shown.titleLocalizationArgs = ["argument"]
    shown.title = "the title"
    shown.subtitleLocalizationKey = "SUBTITLE_KEY"
    shown.subtitleLocalizationArgs = ["argument"]
    shown.subtitle = "the subtitle, which is rather long"
    return NotificationPayload(
      presentation: shown, containerIdentifier: "iCloud.org.example", notificationID: "N",
      userRecordName: "_u",
      event: .query(
        RecordEvent(
          subscriptionID: "S", scope: .private, reason: .updated, recordName: "r",
          zoneID: ZoneID(zoneName: "Z"), fields: [("name", .string("Anna"))])))
  }

  /// The paths of a payload's values, for example `aps.alert.body`.
  private static func paths(_ payload: NotificationPayload) throws -> Set<String> {
    func paths(_ value: Any, _ prefix: String) -> [String] {
      guard let members = value as? [String: Any], prefix != "ck.qry.af" else { return [prefix] }
      return members.flatMap { paths($1, prefix.isEmpty ? $0 : prefix + "." + $0) }
    }
    let json = try JSONSerialization.jsonObject(with: Data(payload.jsonBytes))
    return Set(paths(json, ""))
  }

  @Test func `the least important properties are removed first, one by one`() throws {
    var payload = Self.full()
    var seen = try Self.paths(payload)
    #expect(seen.isSuperset(of: Self.order))
    var gone: [String] = []
    while true {
      let shorter = payload.pruned(toBytes: payload.jsonBytes.count - 1)
      let paths = try Self.paths(shorter)
      let dropped = seen.subtracting(paths).subtracting(["ck.qry.zid", "ck.qry.zoid"])
      if dropped.isEmpty || dropped == ["aps"] { break }
      #expect(dropped.count == 1)
      gone += dropped
      seen = paths
      payload = shorter
    }
    #expect(gone == Self.order.reversed())
  }

  @Test func `the notification ID and the subscription ID are never removed`() throws {
    let least = Self.full().pruned(toBytes: 0)
    #expect(
      String(decoding: least.jsonBytes, as: UTF8.self)
        == #"{"aps":{},"ck":{"ce":2,"nid":"N","p":1,"qry":{"sid":"S","dbs":2}}}"#)
  }

  @Test func `a record ID is removed together with its zone ID`() throws {
    var payload = Self.full()
    while try Self.paths(payload).contains("ck.qry.rid") {
      payload = payload.pruned(toBytes: payload.jsonBytes.count - 1)
    }
    #expect(try Self.paths(payload).isDisjoint(with: ["ck.qry.zid", "ck.qry.zoid"]))
  }

  @Test func `a zone ID has the same rank as a record ID in the order of removal`() throws {
    let zoneID = ZoneID(zoneName: String(repeating: "z", count: 200))
    let payload = NotificationPayload(
      containerIdentifier: String(repeating: "c", count: 200), notificationID: "N",
      userRecordName: "_u", event: .zone(subscriptionID: "S", zoneID, .private))
    #expect(payload.pruned(toBytes: 300).event == payload.event)
    #expect(payload.pruned(toBytes: 300).containerIdentifier == nil)
    #expect(payload.pruned(toBytes: 100).event == .zone(subscriptionID: "S", nil, .private))
  }

  @Test func `a payload that fits is not changed`() {
    let payload = Self.full()
    #expect(payload.pruned(toBytes: payload.jsonBytes.count) == payload)
    #expect(payload.pruned(toBytes: payload.jsonBytes.count - 1).isPruned)
  }

  @Test(arguments: 0..<400)
  func `a payload that is too long loses its least important values until it fits`(
    seed: Int
  ) throws {
    var chance = Chance(seed: UInt64(seed))
    let payload = Self.random(&chance)
    let least = payload.pruned(toBytes: 0)
    let limit = Int.random(in: 50...6_000, using: &chance)
    let pruned = payload.pruned(toBytes: limit)
    let size = pruned.jsonBytes.count
    #expect(size <= limit || pruned == least, "seed \(seed)")
    let before = try Self.paths(payload)
    let after = try Self.paths(pruned)
    let held = Self.order.filter(before.contains)
    let kept = held.prefix { after.contains($0) }
    #expect(Array(kept) == held.filter(after.contains), "seed \(seed)")
    #expect(pruned.isPruned == (kept.count < held.count), "seed \(seed)")
    #expect(try NotificationPayload(jsonBytes: pruned.jsonBytes) == pruned, "seed \(seed)")
    // With one property more, the payload would be too long.
    if kept.count < held.count {
      let more = Self.dropping(held.count - kept.count - 1, from: payload)
      #expect(more.jsonBytes.count > limit, "seed \(seed)")
    }
  }

  /// The payload after this number of removals.
  private static func dropping(_ steps: Int, from payload: NotificationPayload)
    -> NotificationPayload
  {
    var result = payload
    for _ in 0..<steps { result = result.pruned(toBytes: result.jsonBytes.count - 1) }
    return result
  }

  private static func random(_ chance: inout Chance) -> NotificationPayload {
    func text() -> String? {
      guard Bool.random(using: &chance) else { return nil }
      let letters = ["a", "\"", "é", "\n", "🙂", "\u{1}"]
      let count = Int.random(in: 0...300, using: &chance)
      return (0..<count).map { _ in letters.randomElement(using: &chance) ?? "" }.joined()
    }
    var payload = full()
    payload.presentation.badge = Bool.random(using: &chance) ? 3 : nil
    payload.presentation.body = text()
    payload.presentation.localizationKey = text()
    // Localization arguments are only written together with their key.
    let hasKey = payload.presentation.localizationKey != nil
    payload.presentation.localizationArgs = hasKey ? text().map { [$0, $0] } : nil
    payload.presentation.title = text()
    payload.presentation.titleLocalizationArgs = text().map { [$0] }
    payload.presentation.subtitle = text()
    payload.presentation.soundName = text()
    payload.presentation.category = text()
    payload.presentation.isContentAvailable = Bool.random(using: &chance)
    payload.presentation.isMutableContent = Bool.random(using: &chance)
    payload.containerIdentifier = text()
    if case .query(var event) = payload.event {
      event.fields = text().map { [("name", .string($0)), ("other", .int64(1))] } ?? []
      event.recordName = text() ?? "r"
      payload.event = .query(event)
    }
    return payload
  }
}
