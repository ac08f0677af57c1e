import Foundation
import StratusFoundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `Archived values from the last release before sharing` {
  private let shared = CKRecordZone.ID(zoneName: "Shared", ownerName: "_0123456789abcdef")

  @Test func `archived IDs and references have their original names`() throws {
    let record = CKRecord.ID(recordName: "r-1", zoneID: shared)
    #expect(try GoldenFiles.object("zone-id", of: CKRecordZone.ID.self) == shared)
    #expect(try GoldenFiles.object("zone-id-default", of: CKRecordZone.ID.self) == .default)
    #expect(try GoldenFiles.object("record-id", of: CKRecord.ID.self) == record)
    #expect(
      try GoldenFiles.object("reference", of: CKRecord.Reference.self)
        == CKRecord.Reference(recordID: record, action: .deleteSelf))
    #expect(
      try GoldenFiles.object("notification-id", of: CKNotification.ID.self)
        == CKNotificationID("notification-1"))
    let ids = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSArray.self, CKRecord.ID.self], from: GoldenFiles.archive("record-ids-array"))
    #expect(ids as? [CKRecord.ID] == [GoldenFiles.id("a"), GoldenFiles.id("b")])
  }

  @Test func `an archived zone has its scope and capabilities`() throws {
    let unsaved = try GoldenFiles.object("zone-unsaved", of: CKRecordZone.self)
    #expect(unsaved.zoneID == CKRecordZone.ID(zoneName: "Scoped"))
    #expect(unsaved.explicitEncryptionScope == .perZone)
    #expect(unsaved.capabilities == [])
    for time in ["early", "late"] {
      let fetched = try GoldenFiles.object("zone-fetched-\(time)", of: CKRecordZone.self)
      #expect(fetched.zoneID == CKRecordZone.ID(zoneName: "Places"))
      #expect(fetched.encryptionScope == .perZone)
      #expect(fetched.capabilities.isSuperset(of: [.fetchChanges, .atomic]))
    }
  }

  @Test func `an archived location and an archived asset have their original properties`() throws {
    let location = try GoldenFiles.object("location", of: CLLocation.self)
    GoldenValues.expect(location, is: 0, isWhole: true)
    let asset = try GoldenFiles.object("asset-unsaved", of: CKAsset.self)
    #expect(asset.fileURL?.path == "/golden/photo.bin")
    #expect(asset.held == nil)
  }

  @Test func `an archived query has its original filters in their original order`() throws {
    let all = try GoldenFiles.object("query-all", of: CKQuery.self)
    #expect(all.recordType == "Note")
    #expect(all.predicate == NSPredicate(value: true))
    #expect(all.sortDescriptors == nil)
    let query = try GoldenFiles.object("query", of: CKQuery.self)
    let folder = CKRecord.Reference(recordID: GoldenFiles.id("folder-1"), action: .none)
    let predicate = NSPredicate(
      format: "title BEGINSWITH %@ AND count > %@ AND folder == %@ AND due < %@",
      argumentArray: ["Gr", 3, folder, GoldenValues.date(1_700_000_000_000)])
    #expect(query.predicate == predicate)
    let sorts = try #require(query.sortDescriptors)
    #expect(sorts.map(\.key) == ["title", "place"])
    #expect(sorts.map(\.ascending) == [false, true])
    let nearest = try #require(sorts.last as? CKLocationSortDescriptor)
    GoldenValues.expect(nearest.relativeLocation, is: 0, isWhole: true)
  }

  @Test(
    arguments: [
      "NOT (title IN {'a', 'b'})", "ANY tags == 'x' OR count != 2", "self contains 'word'",
      "distanceToLocation:fromLocation:(place, %@) < 100", "FALSEPREDICATE",
    ].enumerated().map { ($0.offset, $0.element) })
  func `an archived predicate is equal to the original`(number: Int, format: String) throws {
    let place = try GoldenFiles.object("location", of: CLLocation.self)
    let read = try GoldenFiles.object("predicate-\(number)", of: NSPredicate.self)
    let made = NSPredicate(format: format, argumentArray: [place])
    // NB: two locations are never equal. Predicates with a location are compared as text.
    #expect(read == made || read.description == made.description)
  }

  @Test func `an archived sort descriptor has its original key`() throws {
    let sort = try GoldenFiles.object("sort", of: NSSortDescriptor.self)
    #expect(sort.key == "title")
    #expect(sort.ascending)
    let nearest = try GoldenFiles.object(
      "sort-by-distance", of: CKLocationSortDescriptor.self)
    #expect(nearest.key == "place")
  }

  @Test func `an archived notification info has every property`() throws {
    let info = try GoldenFiles.object(
      "notification-info", of: CKSubscription.NotificationInfo.self)
    #expect(info.alertBody == "Body")
    #expect(info.alertLocalizationKey == "key")
    #expect(info.alertLocalizationArgs == ["title"])
    #expect(info.title == "Title")
    #expect(info.titleLocalizationKey == "title-key")
    #expect(info.titleLocalizationArgs == ["a"])
    #expect(info.subtitle == "Sub")
    #expect(info.subtitleLocalizationKey == "sub-key")
    #expect(info.subtitleLocalizationArgs == ["b"])
    #expect(info.alertActionLocalizationKey == "action")
    #expect(info.alertLaunchImage == "image")
    #expect(info.soundName == "default")
    #expect(info.desiredKeys == ["title", "count"])
    #expect(info.shouldBadge && info.shouldSendContentAvailable && info.shouldSendMutableContent)
    #expect(info.category == "category")
    #expect(info.collapseIDKey == "collapse")
  }

  @Test func `an archived subscription has its original properties`() throws {
    let query = try GoldenFiles.object("subscription-query", of: CKQuerySubscription.self)
    #expect(query.subscriptionID == "query-1")
    #expect(query.recordType == "Note")
    #expect(query.predicate == NSPredicate(format: "count > 2"))
    #expect(query.querySubscriptionOptions == [.firesOnRecordCreation, .firesOnce])
    #expect(query.zoneID == GoldenFiles.notes)
    #expect(query.notificationInfo?.alertBody == "Body")
    let zone = try GoldenFiles.object("subscription-zone", of: CKRecordZoneSubscription.self)
    #expect(zone.subscriptionID == "zone-1")
    #expect(zone.zoneID == GoldenFiles.notes)
    #expect(zone.recordType == "Note")
    #expect(zone.notificationInfo == nil)
    let database = try GoldenFiles.object(
      "subscription-database", of: CKDatabaseSubscription.self)
    #expect(database.subscriptionID == "database-1")
    #expect(database.recordType == "Note")
    #expect(database.notificationInfo?.shouldSendContentAvailable == true)
    let fetched = try GoldenFiles.object(
      "subscription-fetched-early", of: CKQuerySubscription.self)
    #expect(fetched.subscriptionID == "big-notes")
    #expect(fetched.querySubscriptionOptions == [.firesOnRecordCreation, .firesOnRecordUpdate])
  }

  @Test func `an archived operation group has its configuration`() throws {
    let group = try GoldenFiles.object("operation-group", of: CKOperationGroup.self)
    #expect(group.name == "Golden")
    #expect(group.quantity == 3)
    #expect(group.expectedSendSize == .megabytes)
    #expect(group.expectedReceiveSize == .kilobytes)
    #expect(UUID(uuidString: group.operationGroupID) != nil)
    let configuration = try #require(group.defaultConfiguration)
    #expect(configuration.qualityOfService == .utility)
    #expect(!configuration.allowsCellularAccess)
    #expect(configuration.timeoutIntervalForRequest == 7)
    #expect(configuration.timeoutIntervalForResource == 99)
  }

  @Test(
    arguments: [
      "database-token", "zone-token-Notes", "zone-token-Again", "zone-token-Empty",
      "zone-token-Notes-part", "notifications-token",
    ], ["early", "late"])
  func `an archived change token has the server's text`(name: String, time: String) throws {
    let token = try GoldenFiles.object("\(name)-\(time)", of: CKServerChangeToken.self)
    #expect(token.syncToken == (try GoldenFiles.text("syncToken.\(name)-\(time)")))
  }

  @Test(arguments: ["early", "late"])
  func `an archived query cursor has its query and its continuation marker`(time: String) throws {
    let cursor = try GoldenFiles.object("query-cursor-\(time)", of: CKQueryOperation.Cursor.self)
    let request = try #require(cursor.request)
    #expect(request.query.recordType == "Note")
    #expect(request.resultsLimit == 2)
    #expect(
      request.continuationMarker == (try GoldenFiles.text("continuationMarker.\(time)")))
  }
}
