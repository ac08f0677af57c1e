import Foundation
import StratusWire
import Testing

@testable import StratusDomain

/// The notification payload for a subscription and a change.
@Suite struct `Notification drafts` {
  private static let fields = FieldsJSON([
    ("name", .string("Anna")), ("age", .int64(41)), ("height", .double(1.68)),
    ("steps", .double(3)), ("born", .timestamp(1_740_821_400_000)),
    ("home", .location(Location(latitude: 52.5, longitude: 13.25))),
    ("friend", .reference(Reference(recordName: "bob"))),
    ("photo", .bytes([1, 2, 3])), ("tags", .list(.string, [.string("a")])),
    ("secret", .sealed(FieldType(.string, isEncrypted: true), [1])),
    ("story", .string(String(repeating: "é", count: 150))),
  ])

  private func draft(
    _ info: NotificationInfo?, reason: RecordEvent.Reason = .updated,
    fields: FieldsJSON = Self.fields
  ) -> NotificationDraft {
    draft(
      Subscription(
        id: "S", .query(WatchedQuery(query: Query(recordType: "Person"), firesOn: .update)),
        notificationInfo: info), scope: .public, zoneID: ZoneID(zoneName: "_defaultZone"),
      record: NotificationDraft.Record(reason: reason, name: "anna", fields: fields))
  }

  private func draft(
    _ subscription: Subscription, scope: DatabaseScope, zoneID: ZoneID?,
    record: NotificationDraft.Record? = nil
  ) -> NotificationDraft {
    NotificationDraft(
      containerIdentifier: "iCloud.org.example", notificationID: "N", user: "_u",
      subscription: subscription, scope: scope, zoneID: zoneID, record: record)
  }

  private func info(_ change: (inout NotificationInfo) -> Void) -> NotificationInfo {
    var info = NotificationInfo()
    change(&info)
    return info
  }

  private func text(_ draft: NotificationDraft) throws -> String {
    String(decoding: try draft.payload().jsonBytes, as: UTF8.self)
  }

  @Test func `a query notification has the payload format that clients expect`() throws {
    let info = info {
      $0.alertBody = "New"
      $0.additionalFields = ["name"]
      $0.soundName = "default"
    }
    #expect(
      try text(draft(info, reason: .created)) == """
        {"aps":{"alert":{"body":"New"},"sound":"default"},"ck":{"ce":2,\
        "cid":"iCloud.org.example","nid":"N","ckuserid":"_u","qry":{"zid":"_defaultZone",\
        "zoid":"_defaultOwner","rid":"anna","sid":"S","fo":1,"dbs":1,"af":{"name":"Anna"}}}}
        """)
  }

  @Test func `a zone notification has the payload format that clients expect`() throws {
    let zoneID = ZoneID(zoneName: "Notes")
    let draft = draft(
      Subscription(id: "Z", .zone(zoneID, recordType: nil)), scope: .private, zoneID: zoneID)
    #expect(
      try text(draft) == """
        {"aps":{"content-available":1},"ck":{"ce":2,"cid":"iCloud.org.example","nid":"N",\
        "ckuserid":"_u","fet":{"zid":"Notes","zoid":"_defaultOwner","sid":"Z","dbs":2}}}
        """)
  }

  @Test func `a database notification has the payload format that clients expect`() throws {
    let draft = draft(
      Subscription(id: "D", .database(recordType: nil)), scope: .shared, zoneID: nil)
    #expect(
      try text(draft) == """
        {"aps":{"content-available":1},"ck":{"ce":2,"cid":"iCloud.org.example","nid":"N",\
        "ckuserid":"_u","met":{"sid":"D","dbs":3}}}
        """)
  }

  @Test func `the payload contains every setting of the visible notification`() throws {
    let info = info {
      $0.alertBody = "b"
      $0.alertLocalizationKey = "B"
      $0.title = "t"
      $0.titleLocalizationKey = "T"
      $0.subtitle = "s"
      $0.subtitleLocalizationKey = "S"
      $0.alertActionLocalizationKey = "A"
      $0.alertLaunchImage = "L"
      $0.soundName = "ping"
      $0.category = "C"
      $0.shouldSendMutableContent = true
    }
    let shown = try draft(info).payload().presentation
    #expect(shown.body == "b" && shown.localizationKey == "B")
    #expect(shown.title == "t" && shown.titleLocalizationKey == "T")
    #expect(shown.subtitle == "s" && shown.subtitleLocalizationKey == "S")
    #expect(shown.actionLocalizationKey == "A" && shown.launchImage == "L")
    #expect(shown.soundName == "ping" && shown.category == "C")
    #expect(shown.isMutableContent && !shown.isContentAvailable)
  }

  @Test func `localization arguments of other types than text, number and date become empty texts`()
    throws
  {
    let names = [
      "name", "age", "height", "steps", "born", "home", "friend", "photo", "tags", "secret",
      "missing",
    ]
    let info = info {
      $0.alertLocalizationKey = "key"
      $0.alertLocalizationArgs = names
      $0.titleLocalizationArgs = ["age"]
      $0.subtitleLocalizationArgs = []
    }
    let shown = try draft(info).payload().presentation
    #expect(
      shown.localizationArgs == [
        "Anna", "41", "1.68", "3", "2025-03-01T09:30:00Z", "", "", "", "", "", "",
      ])
    #expect(shown.titleLocalizationArgs == ["41"])
    #expect(shown.subtitleLocalizationArgs == [])
  }

  @Test(arguments: [
    (Int64.max, "9223372036854775807"), (.min, "-9223372036854775808"),
    (-1, "1969-12-31T23:59:59Z"), (253_402_300_799_999, "9999-12-31T23:59:59Z"),
    (-12_212_553_600_000, "1583-01-01T00:00:00Z"), (-12_212_553_600_001, "-12212553600001"),
  ])
  func `a localization argument contains a date as text`(milliseconds: Int64, text: String)
    throws
  {
    let info = info { $0.alertLocalizationArgs = ["d"] }
    let fields = FieldsJSON([("d", .timestamp(Timestamp(milliseconds)))])
    #expect(
      try draft(info, fields: fields).payload().presentation.localizationArgs == [text])
  }

  @Test
  func `the values of desired keys are texts, numbers, dates, locations and references`() throws {
    let info = info {
      $0.additionalFields = [
        "tags", "secret", "photo", "name", "missing", "home", "height", "friend", "born", "age",
      ]
    }
    guard case .query(let event) = try draft(info).payload().event else {
      Issue.record("no query")
      return
    }
    #expect(event.fields.map(\.name) == ["age", "born", "friend", "height", "home", "name"])
    #expect(
      event.fields.map(\.value) == [
        .int64(41), .int64(1_740_821_400_000), .reference(recordName: "bob"), .double(1.68),
        .location(latitude: 52.5, longitude: 13.25), .string("Anna"),
      ])
  }

  @Test func `texts in a notification are truncated to a hundred characters`() throws {
    let info = info {
      $0.additionalFields = ["story"]
      $0.alertLocalizationArgs = ["story"]
    }
    let payload = try draft(info).payload()
    let expected = String(repeating: "é", count: 100)
    #expect(payload.presentation.localizationArgs == [expected])
    guard case .query(let event) = payload.event else {
      Issue.record("no query")
      return
    }
    #expect(event.fields.map(\.value) == [.string(expected)])
  }

  @Test func `a character of too many bytes is completely left out of a notification`() throws {
    let endless = "ab" + "e" + String(repeating: "\u{301}", count: 5_000)
    let info = info { $0.alertLocalizationArgs = ["x"] }
    let payload = try draft(info, fields: FieldsJSON([("x", .string(endless))])).payload()
    #expect(payload.presentation.localizationArgs == ["ab"])
  }

  @Test
  func `the notification of a deletion has no fields, but its texts contain the old values`()
    throws
  {
    let info = info {
      $0.additionalFields = ["name"]
      $0.alertLocalizationArgs = ["name"]
    }
    let payload = try draft(info, reason: .deleted).payload()
    guard case .query(let event) = payload.event else {
      Issue.record("no query")
      return
    }
    #expect(event.fields.isEmpty)
    #expect(event.reason == .deleted)
    #expect(payload.presentation.localizationArgs == ["Anna"])
  }

  @Test func `a silent notification wakes the app`() throws {
    #expect(try draft(nil).payload().presentation.isContentAvailable)
    #expect(try draft(info { _ in }).payload().presentation.isContentAvailable)
    #expect(
      try draft(info { $0.shouldSendMutableContent = true }).payload().presentation
        .isContentAvailable)
    let visible = info { $0.alertBody = "x" }
    #expect(try !draft(visible).payload().presentation.isContentAvailable)
    let both = info {
      $0.alertBody = "x"
      $0.shouldSendContentAvailable = true
    }
    #expect(try draft(both).payload().presentation.isContentAvailable)
  }

  /// Localization arguments without a localization key do not make a notification visible.
  @Test func `a notification with a text, a sound or a category is visible`() throws {
    let texts: [WritableKeyPath<NotificationInfo, String?>] = [
      \.alertBody, \.alertLocalizationKey, \.alertActionLocalizationKey, \.alertLaunchImage,
      \.title, \.titleLocalizationKey, \.subtitle, \.subtitleLocalizationKey, \.soundName,
      \.category,
    ]
    for text in texts {
      let draft = draft(info { $0[keyPath: text] = "x" })
      #expect(!draft.isSilent, "\(text)")
      let presentation = try draft.payload().presentation
      #expect(presentation.isVisible && !presentation.isContentAvailable, "\(text)")
    }
    let arguments = draft(info { $0.alertLocalizationArgs = ["name"] })
    #expect(arguments.isSilent)
    let presentation = try arguments.payload().presentation
    #expect(!presentation.isVisible && presentation.isContentAvailable)
  }

  @Test func `a draft says that the badge increases, but does not contain the number`() throws {
    let draft = draft(info { $0.shouldBadge = true })
    #expect(draft.shouldBadge && !draft.isSilent)
    #expect(try draft.payload().presentation.badge == nil)
    #expect(!self.draft(nil).shouldBadge)
  }

  @Test
  func `a draft has no payload if the subscription has no ID or a query event has no record`() {
    let nameless = draft(
      Subscription(id: nil, .database(recordType: nil)), scope: .private, zoneID: nil)
    #expect(throws: ServerError.self) { try nameless.payload() }
    let recordless = draft(
      Subscription(
        id: "S", .query(WatchedQuery(query: Query(recordType: "Person"), firesOn: .create))),
      scope: .private, zoneID: nil)
    #expect(throws: ServerError.self) { try recordless.payload() }
  }
}

/// The notifications that replace each other in a queue.
@Suite struct `Coalescing keys` {
  private func draft(
    _ subject: Subscription.Subject, _ change: (inout NotificationInfo) -> Void = { _ in },
    scope: DatabaseScope = .private, fields: FieldsJSON = .empty
  ) -> NotificationDraft {
    var info = NotificationInfo()
    change(&info)
    return NotificationDraft(
      containerIdentifier: "c", notificationID: "N", user: "_u",
      subscription: Subscription(id: "S", subject, notificationInfo: info), scope: scope,
      zoneID: nil,
      record: NotificationDraft.Record(reason: .created, name: "r", fields: fields))
  }

  private let query = Subscription.Subject.query(
    WatchedQuery(query: Query(recordType: "T"), firesOn: .create))

  @Test func `a newer silent notification of a zone or database replaces the older one`() {
    let zone = Subscription.Subject.zone(ZoneID(zoneName: "Z"), recordType: nil)
    #expect(draft(zone).coalescingKey == "sub:private:S")
    #expect(draft(.database(recordType: nil), scope: .shared).coalescingKey == "sub:shared:S")
    #expect(
      draft(.database(recordType: "T"), { $0.shouldSendContentAvailable = true }).coalescingKey
        == "sub:private:S")
  }

  @Test func `visible notifications do not replace each other without a coalescing field`() {
    #expect(draft(.database(recordType: nil), { $0.soundName = "ping" }).coalescingKey == nil)
    #expect(draft(query, { $0.alertBody = "x" }).coalescingKey == nil)
    #expect(draft(query).coalescingKey == nil)
  }

  @Test func `a query notification replaces an older one with the same coalescing value`() {
    let fields = FieldsJSON([
      ("channel", .string("cats")), ("day", .timestamp(0)), ("empty", .string("")),
      ("photo", .bytes([1])),
    ])
    func key(_ name: String) -> String? {
      draft(query, { $0.collapseIDKey = name }, fields: fields).coalescingKey
    }
    #expect(key("channel") == "collapse:cats")
    #expect(key("day") == "collapse:1970-01-01T00:00:00Z")
    #expect(key("empty") == nil)
    #expect(key("photo") == nil)
    #expect(key("missing") == nil)
  }
}
