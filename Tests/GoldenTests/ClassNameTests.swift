import Foundation
import StratusFoundation
import Testing

@testable import StratusKit

/// Returns the names of the classes in an archive.
private func classNames(in archive: Data) throws -> Set<String> {
  let list = try PropertyListSerialization.propertyList(from: archive, format: nil)
  let objects = try #require((list as? [String: Any])?["$objects"] as? [Any])
  var names: Set<String> = []
  for case let object as [String: Any] in objects {
    guard let name = object["$classname"] as? String else { continue }
    names.insert(name)
    names.formUnion(object["$classes"] as? [String] ?? [])
  }
  return names
}

@Suite struct `The names of classes in archives` {
  /// Class names that Foundation writes by itself.
  private static let foundation: Set<String> = [
    "NSArray", "NSDate", "NSDictionary", "NSMutableArray", "NSMutableDictionary", "NSObject",
    "NSPredicate", "NSCompoundPredicate", "NSSet", "NSSortDescriptor", "NSURL",
  ]

  private func written(_ object: any NSObject & NSSecureCoding) throws -> Set<String> {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: object, requiringSecureCoding: true)
    return try classNames(in: data).subtracting(Self.foundation)
  }

  /// Class names with the prefix `StratusArchive`. They must never change, because the archives of
  /// users contain them.
  private func chosen(_ names: String...) -> Set<String> {
    Set(names.map { "StratusArchive.\($0)" })
  }

  @Test func `archives of records contain the fixed class names`() throws {
    let record = try GoldenFiles.object("record-unsaved", of: CKRecord.self)
    #expect(
      try written(record)
        == chosen(
          "CKAsset", "CKRecord", "CKRecordID", "CKRecordZoneID", "CKReference", "CLLocation",
          "EncryptedRecordValues", "RecordValues"))
  }

  @Test func `archives of IDs and references contain the fixed class names`() throws {
    #expect(try written(CKRecordZone.ID.default) == chosen("CKRecordZoneID"))
    #expect(
      try written(CKRecordZone(zoneName: "Z")) == chosen("CKRecordZone", "CKRecordZoneID"))
    #expect(
      try written(GoldenFiles.object("reference", of: CKRecord.Reference.self))
        == chosen("CKReference", "CKRecordID", "CKRecordZoneID"))
    #expect(try written(CKNotificationID("n")) == chosen("CKNotificationID"))
    #expect(try written(CKServerChangeToken(syncToken: "t")) == chosen("CKServerChangeToken"))
    #expect(try written(CKOperationGroup()) == chosen("CKOperationGroup"))
  }

  @Test func `archives of queries and predicates contain the fixed class names`() throws {
    #expect(
      try written(GoldenFiles.object("query", of: CKQuery.self))
        == chosen(
          "CKLocationSortDescriptor", "CKQuery", "CKRecordID", "CKRecordZoneID", "CKReference",
          "CLLocation"))
    #expect(
      try written(GoldenFiles.object("query-cursor-early", of: CKQueryCursor.self))
        == chosen("CKQueryCursor", "CKRecordZoneID"))
    #expect(try written(NSPredicate(format: "a == 1")) == chosen("NSComparisonPredicate"))
    #expect(try written(NSPredicate(format: "a == 1 OR b == 2")) == [])
    #expect(try written(NSPredicate(format: "a !! 1")) == [])
    #expect(try written(NSSortDescriptor(key: "a", ascending: true)) == [])
  }

  @Test func `archives of subscriptions contain the fixed class names`() throws {
    #expect(
      try written(GoldenFiles.object("subscription-query", of: CKQuerySubscription.self))
        == chosen(
          "CKNotificationInfo", "CKQuerySubscription", "CKRecordZoneID",
          "NSComparisonPredicate"))
    #expect(
      try written(GoldenFiles.object("subscription-zone", of: CKRecordZoneSubscription.self))
        == chosen("CKRecordZoneID", "CKRecordZoneSubscription"))
    #expect(
      try written(GoldenFiles.object("subscription-database", of: CKDatabaseSubscription.self))
        == chosen("CKDatabaseSubscription", "CKNotificationInfo"))
  }

  @Test
  func `archives of configurations for fetching changes contain the fixed class names`() throws {
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
    #expect(try written(configuration) == chosen("CKFetchRecordZoneChangesConfiguration"))
    let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
    #expect(try written(options) == chosen("CKFetchRecordZoneChangesOptions"))
    #expect(try written(CKFetchRecordZoneChangesSelection()) == chosen("ZoneChangesSelection"))
  }

  @Test func `archives of shares and participants contain the fixed class names`() throws {
    let share = CKShare(rootRecord: CKRecord(recordType: "List"))
    #expect(
      try written(share)
        == chosen(
          "CKRecordID", "CKRecordZoneID", "CKShare", "CKShareParticipant", "CKUserIdentity",
          "EncryptedRecordValues", "RecordValues"))
    let lookup = CKUserIdentity.LookupInfo(emailAddress: "a@example.org")
    #expect(try written(lookup) == chosen("CKUserIdentityLookupInfo"))
    let identity = CKUserIdentity(
      userRecordID: nil, lookupInfo: lookup, hasiCloudAccount: false)
    #expect(
      try written(CKShare.AccessRequester(identity))
        == chosen("CKShareAccessRequester", "CKUserIdentity", "CKUserIdentityLookupInfo"))
    #expect(
      try written(CKShare.BlockedIdentity(identity))
        == chosen("CKShareBlockedIdentity", "CKUserIdentity", "CKUserIdentityLookupInfo"))
  }

  /// The archived object is an operation group of a class that the app defines.
  @Test func `archives of an app's own classes contain their Swift names`() throws {
    #expect(try written(AppsGroup()).contains("GoldenTests.AppsGroup"))
  }

  @Test func `archives with the earlier Swift class names can still be read`() throws {
    let data = try GoldenFiles.archive("record-unsaved")
    #expect(try classNames(in: data).contains("StratusKit.RecordValueStore"))
    let coder = try NSKeyedUnarchiver(forReadingFrom: data)
    coder.requiresSecureCoding = true
    let record = coder.decodeObject(of: CKRecord.self, forKey: NSKeyedArchiveRootObjectKey)
    #expect(record?["texts"] as? [String] == ["a", "", "ß"])
  }

  /// Each class name in the golden archives is registered. Without a registration, Foundation would
  /// find a class only as long as the class has that Swift name.
  @Test func `all class names in the archives of earlier releases have an alias`() throws {
    let folder = GoldenFiles.folder
    var names: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      guard path.hasSuffix(".archive") else { continue }
      names.formUnion(try classNames(in: Data(contentsOf: folder.appending(path: path))))
    }
    let old = names.filter { $0.hasPrefix("Stratus") }
    #expect(
      old.subtracting(Self.basesAlone) == [
        "StratusFoundation.CLLocation", "StratusFoundation.FormattedCompoundPredicate",
        "StratusFoundation.KeySortDescriptor", "StratusFoundation.NSComparisonPredicate",
        "StratusKit.CKAsset", "StratusKit.CKDatabaseSubscription",
        "StratusKit.CKLocationSortDescriptor", "StratusKit.CKNotificationID",
        "StratusKit.CKNotificationInfo", "StratusKit.CKOperationGroup", "StratusKit.CKQuery",
        "StratusKit.CKQueryCursor", "StratusKit.CKQuerySubscription", "StratusKit.CKRecord",
        "StratusKit.CKRecordID", "StratusKit.CKRecordZone", "StratusKit.CKRecordZoneID",
        "StratusKit.CKRecordZoneSubscription", "StratusKit.CKReference",
        "StratusKit.CKServerChangeToken", "StratusKit.EncryptedValueStore",
        "StratusKit.RecordValueStore",
      ])
    for name in old.subtracting(Self.basesAlone) {
      #expect(NSKeyedUnarchiver.class(forClassName: name) != nil, "\(name)")
    }
  }

  /// Superclasses. Archives contain the names of these classes, but none of their objects.
  private static let basesAlone: Set<String> = ["StratusKit.CKSubscription"]
}

final class AppsGroup: CKOperationGroup, @unchecked Sendable {}
