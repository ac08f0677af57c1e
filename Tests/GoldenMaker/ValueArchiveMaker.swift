import Foundation
import StratusFoundation

@testable import StratusKit

/// Archives of values that an app creates without a server.
struct ValueArchiveMaker {
  private let archive: MakerArchive

  init(_ folder: URL) throws { archive = try MakerArchive(folder, "archives") }

  func make() throws {
    let shared = CKRecordZone.ID(zoneName: "Shared", ownerName: "_0123456789abcdef")
    try archive.write(shared, as: "zone-id")
    try archive.write(CKRecordZone.ID.default, as: "zone-id-default")
    try archive.write(CKRecord.ID(recordName: "r-1", zoneID: shared), as: "record-id")
    try archive.write(
      CKRecord.Reference(
        recordID: CKRecord.ID(recordName: "r-1", zoneID: shared), action: .deleteSelf),
      as: "reference")
    let zone = CKRecordZone(zoneName: "Scoped")
    zone.encryptionScope = .perZone
    try archive.write(zone, as: "zone-unsaved")
    try archive.write(CKNotificationID("notification-1"), as: "notification-id")
    try archive.write(GoldenValues.place(0), as: "location")
    try archive.write(
      CKAsset(fileURL: URL(fileURLWithPath: "/golden/photo.bin")), as: "asset-unsaved")
    try archive.write(
      NSArray(array: [GoldenValues.id("a"), GoldenValues.id("b")]), as: "record-ids-array")
    try records()
    try queries()
    try subscriptions()
    try group()
  }

  private func records() throws {
    let record = CKRecord(recordType: "All", recordID: GoldenValues.id("unsaved-1"))
    GoldenValues.fill(record)
    GoldenValues.fillSecrets(record)
    record["photo"] = CKAsset(fileURL: URL(fileURLWithPath: "/golden/photo.bin"))
    record["photos"] = [CKAsset(fileURL: URL(fileURLWithPath: "/golden/one.bin"))]
    record.setParent(GoldenValues.id("folder-1"))
    try archive.write(record, as: "record-unsaved")
    try archive.writeSystemFields(of: record, as: "record-unsaved-system-fields")
  }

  private func queries() throws {
    let plain = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    try archive.write(plain, as: "query-all")
    let query = CKQuery(
      recordType: "Note",
      predicate: NSPredicate(
        format: "title BEGINSWITH %@ AND count > %@ AND folder == %@ AND due < %@",
        argumentArray: [
          "Gr", 3, CKRecord.Reference(recordID: GoldenValues.id("folder-1"), action: .none),
          GoldenValues.date(1_700_000_000_000),
        ]))
    query.sortDescriptors = [
      NSSortDescriptor(key: "title", ascending: false),
      CKLocationSortDescriptor(key: "place", relativeLocation: GoldenValues.place(0)),
    ]
    try archive.write(query, as: "query")
    for (number, format) in [
      "NOT (title IN {'a', 'b'})", "ANY tags == 'x' OR count != 2", "self contains 'word'",
      "distanceToLocation:fromLocation:(place, %@) < 100", "FALSEPREDICATE",
    ].enumerated() {
      let predicate = NSPredicate(format: format, argumentArray: [GoldenValues.place(0)])
      try archive.write(predicate, as: "predicate-\(number)")
    }
    try archive.write(NSSortDescriptor(key: "title", ascending: true), as: "sort")
    try archive.write(
      CKLocationSortDescriptor(key: "place", relativeLocation: GoldenValues.place(0)),
      as: "sort-by-distance")
  }

  private func subscriptions() throws {
    let info = CKSubscription.NotificationInfo(
      alertBody: "Body", alertLocalizationKey: "key", alertLocalizationArgs: ["title"],
      title: "Title", titleLocalizationKey: "title-key", titleLocalizationArgs: ["a"],
      subtitle: "Sub", subtitleLocalizationKey: "sub-key", subtitleLocalizationArgs: ["b"],
      alertActionLocalizationKey: "action", alertLaunchImage: "image", soundName: "default",
      desiredKeys: ["title", "count"], shouldBadge: true, shouldSendContentAvailable: true,
      shouldSendMutableContent: true, category: "category", collapseIDKey: "collapse")
    try archive.write(info, as: "notification-info")
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(format: "count > 2"), subscriptionID: "query-1",
      options: [.firesOnRecordCreation, .firesOnce])
    query.zoneID = GoldenValues.notes
    query.notificationInfo = info
    try archive.write(query, as: "subscription-query")
    let zone = CKRecordZoneSubscription(
      zoneID: GoldenValues.notes, subscriptionID: "zone-1")
    zone.recordType = "Note"
    try archive.write(zone, as: "subscription-zone")
    let database = CKDatabaseSubscription(subscriptionID: "database-1")
    database.recordType = "Note"
    database.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
    try archive.write(database, as: "subscription-database")
  }

  private func group() throws {
    let group = CKOperationGroup()
    group.name = "Golden"
    group.quantity = 3
    group.expectedSendSize = .megabytes
    group.expectedReceiveSize = .kilobytes
    group.defaultConfiguration.qualityOfService = .utility
    group.defaultConfiguration.allowsCellularAccess = false
    group.defaultConfiguration.timeoutIntervalForRequest = 7
    group.defaultConfiguration.timeoutIntervalForResource = 99
    try archive.write(group, as: "operation-group")
  }
}
