import CloudKit
import Foundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct Notifications {
  private let user = "_0123456789abcdef0123456789abcdef"

  private func ck(_ kind: String, _ members: [String: Any]) -> [AnyHashable: Any] {
    [
      "aps": ["content-available": 1],
      "ck": [
        "ce": 2, "cid": "iCloud.org.example.App", "nid": "A1-B2", "ckuserid": user, kind: members,
      ] as [String: Any],
    ]
  }

  @Test func `a query payload decodes to a query notification`() throws {
    let payload = ck(
      "qry",
      [
        "dbs": 1, "fo": 2, "rid": "note-1", "sid": "notes", "zid": "_defaultZone",
        "zoid": "_defaultOwner",
        "af": [
          "title": "Hi", "count": 3, "price": 2.5,
          "place": ["latitude": 52.5, "longitude": 13.4], "folder": ["recordName": "f"],
        ] as [String: Any],
      ])
    let notification = try #require(CKNotification(fromRemoteNotificationDictionary: payload))
    #expect(notification.notificationType == .query)
    #expect(notification.containerIdentifier == "iCloud.org.example.App")
    #expect(notification.subscriptionID == "notes")
    #expect(notification.subscriptionOwnerUserRecordID?.recordName == user)
    #expect(!notification.isPruned)
    let query = try #require(notification as? CKQueryNotification)
    #expect(query.queryNotificationReason == .recordUpdated)
    #expect(query.databaseScope == .public)
    #expect(query.isPublicDatabase)
    #expect(query.recordID == CKRecord.ID(recordName: "note-1"))
    let fields = try #require(query.recordFields)
    #expect(fields["title"] as? String == "Hi")
    #expect(fields["count"] as? Int == 3)
    #expect(fields["price"] as? Double == 2.5)
    #expect((fields["place"] as? CLLocation)?.coordinate.longitude == 13.4)
    #expect((fields["folder"] as? CKRecord.Reference)?.recordID.recordName == "f")
  }

  @Test func `each notification reason and each database maps to its number`() {
    for (number, reason) in [
      1: CKQueryNotification.Reason.recordCreated, 2: .recordUpdated, 3: .recordDeleted,
    ] {
      let query = CKQueryNotification(
        fromRemoteNotificationDictionary: ck("qry", ["dbs": 2, "fo": number, "rid": "a"]))
      #expect(query?.queryNotificationReason == reason)
      #expect(query?.recordFields == nil)
    }
    for (number, scope) in [1: CKDatabase.Scope.public, 2: .private, 3: .shared] {
      let database = CKDatabaseNotification(
        fromRemoteNotificationDictionary: ck("met", ["dbs": number, "sid": "all"]))
      #expect(database?.databaseScope == scope)
      #expect(database?.notificationType == .database)
      #expect(database?.notificationType.rawValue == 4)
    }
  }

  @Test func `a zone payload decodes to a zone notification`() throws {
    let own = try #require(
      CKNotification(
        fromRemoteNotificationDictionary: ck(
          "fet", ["dbs": 2, "sid": "zone", "zid": "Notes", "zoid": "_defaultOwner"]))
        as? CKRecordZoneNotification)
    #expect(own.notificationType == .recordZone)
    #expect(own.recordZoneID == CKRecordZone.ID(zoneName: "Notes"))
    #expect(own.databaseScope == .private)
    let named = CKRecordZoneNotification(
      fromRemoteNotificationDictionary: ck("fet", ["dbs": 2, "zid": "Notes", "zoid": user]))
    #expect(named?.recordZoneID == CKRecordZone.ID(zoneName: "Notes"))
    let other = CKRecordZoneNotification(
      fromRemoteNotificationDictionary: ck("fet", ["dbs": 3, "zid": "Notes", "zoid": "_you"]))
    #expect(other?.recordZoneID == CKRecordZone.ID(zoneName: "Notes", ownerName: "_you"))
    #expect(other?.databaseScope == .shared)
  }

  @Test func `alert texts, badge, sound and category are read from the payload`() throws {
    var payload = ck("met", ["dbs": 2, "sid": "all"])
    payload["aps"] =
      [
        "alert": [
          "title": "T", "title-loc-key": "TK", "title-loc-args": ["1"], "subtitle": "S",
          "subtitle-loc-key": "SK", "subtitle-loc-args": ["2"], "body": "B", "loc-key": "BK",
          "loc-args": ["3", "4"], "action-loc-key": "AK", "launch-image": "L",
        ] as [String: Any], "badge": 7, "sound": "default", "category": "C",
      ] as [String: Any]
    let notification = try #require(CKNotification(fromRemoteNotificationDictionary: payload))
    #expect(notification.title == "T")
    #expect(notification.titleLocalizationKey == "TK")
    #expect(notification.titleLocalizationArgs == ["1"])
    #expect(notification.subtitle == "S")
    #expect(notification.subtitleLocalizationKey == "SK")
    #expect(notification.subtitleLocalizationArgs == ["2"])
    #expect(notification.alertBody == "B")
    #expect(notification.alertLocalizationKey == "BK")
    #expect(notification.alertLocalizationArgs == ["3", "4"])
    #expect(notification.alertActionLocalizationKey == "AK")
    #expect(notification.alertLaunchImage == "L")
    #expect(notification.badge == 7)
    #expect(notification.soundName == "default")
    #expect(notification.category == "C")
  }

  @Test func `a payload of Foundation's own classes decodes to the same notification`() throws {
    let payload: [AnyHashable: Any] = [
      NSString(string: "aps"): NSDictionary(dictionary: [
        "alert": "Hi", "badge": NSNumber(value: 2),
      ]),
      NSString(string: "ck"): NSDictionary(dictionary: [
        NSString(string: "nid"): NSString(string: "x"),
        NSString(string: "fet"): NSDictionary(dictionary: [
          "zid": NSString(string: "Notes"), "dbs": NSNumber(value: 2),
        ]),
      ]),
      "mine": Data([1]), "when": Date(timeIntervalSince1970: 1), "odd": Double.nan, 7: "seven",
    ]
    let notification = try #require(CKNotification(fromRemoteNotificationDictionary: payload))
    #expect((notification as? CKRecordZoneNotification)?.recordZoneID?.zoneName == "Notes")
    #expect(notification.alertBody == "Hi")
    #expect(notification.badge == 2)
    #expect(notification.notificationID == CKNotificationID("x"))
  }

  @Test func `the pruned properties of a notification are nil`() throws {
    let query = try #require(
      CKNotification(fromRemoteNotificationDictionary: [
        "ck": ["nid": "x", "p": 1, "qry": ["dbs": 2]]
      ]) as? CKQueryNotification)
    #expect(query.isPruned)
    #expect(query.recordID == nil)
    #expect(query.containerIdentifier == nil)
    #expect(query.subscriptionOwnerUserRecordID == nil)
    #expect(query.subscriptionID == nil)
    let zone = CKRecordZoneNotification(
      fromRemoteNotificationDictionary: ["ck": ["p": 1, "fet": ["dbs": 2]]])
    #expect(zone?.recordZoneID == nil)
    #expect(zone?.notificationID == nil)
  }

  @Test func `a payload without a subject decodes to a plain CKNotification`() throws {
    let payload: [AnyHashable: Any] = [
      "aps": ["alert": "Hi"], "ck": ["nid": "x", "cid": "iCloud.a"],
    ]
    let plain = try #require(CKNotification(fromRemoteNotificationDictionary: payload))
    #expect(type(of: plain) == CKNotification.self)
    #expect(plain.notificationType == .readNotification)
    #expect(plain.notificationID == CKNotificationID("x"))
    #expect(plain.containerIdentifier == "iCloud.a")
    #expect(plain.alertBody == "Hi")
    #expect(plain.subscriptionID == nil)
    #expect(CKNotification(fromRemoteNotificationDictionary: ["ck": [:] as [String: Any]]) != nil)
    #expect(CKQueryNotification(fromRemoteNotificationDictionary: payload) == nil)
  }

  @Test func `a payload that is not CloudKit's decodes to nil`() {
    #expect(CKNotification(fromRemoteNotificationDictionary: [:]) == nil)
    #expect(CKNotification(fromRemoteNotificationDictionary: ["aps": ["alert": "Hi"]]) == nil)
    #expect(CKNotification(fromRemoteNotificationDictionary: ["ck": "text"]) == nil)
    let wrongDatabase = ck("met", ["dbs": 9])
    #expect(CKNotification(fromRemoteNotificationDictionary: wrongDatabase) == nil)
    let zone = ck("fet", ["dbs": 2, "zid": "Notes"])
    #expect(CKQueryNotification(fromRemoteNotificationDictionary: zone) == nil)
    var deep: Any = "end"
    for _ in 0..<1_000 { deep = [deep] }
    #expect(CKNotification(fromRemoteNotificationDictionary: ["ck": deep]) == nil)
    #expect(
      CKNotification(
        fromRemoteNotificationDictionary: ck("fet", ["dbs": 2, "zid": "", "zoid": ""])) != nil)
  }

  @Test func `notification IDs compare by value and can be archived`() throws {
    let payload = ck("met", ["dbs": 2])
    let one = try #require(
      CKNotification(fromRemoteNotificationDictionary: payload)?.notificationID)
    let same = CKNotification(fromRemoteNotificationDictionary: payload)?.notificationID
    #expect(one == same)
    #expect(one.hash == same?.hash)
    #expect(one != CKNotificationID("other"))
    let data = try NSKeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKNotification.ID.self, from: data) == one)
  }
}
