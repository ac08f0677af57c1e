import Foundation
import StratusFoundation
import Testing

@testable import StratusKit

/// The names of classes in an archive.
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
  /// Names that Foundation itself writes.
  private static let foundation: Set<String> = [
    "NSArray", "NSDate", "NSDictionary", "NSMutableArray", "NSMutableDictionary", "NSObject",
    "NSPredicate", "NSCompoundPredicate", "NSSet", "NSSortDescriptor", "NSURL",
  ]

  private func written(_ object: any NSObject & NSSecureCoding) throws -> Set<String> {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: object, requiringSecureCoding: true)
    return try classNames(in: data).subtracting(Self.foundation)
  }

  /// Names of `StratusArchive`. They must never change, since users' archives contain them.
  private func chosen(_ names: String...) -> Set<String> {
    Set(names.map { "StratusArchive.\($0)" })
  }

  @Test func `of records are the fixed names`() throws {
    let record = try GoldenFiles.object("record-unsaved", of: CKRecord.self)
    #expect(
      try written(record)
        == chosen(
          "CKAsset", "CKRecord", "CKRecordID", "CKRecordZoneID", "CKReference", "CLLocation",
          "EncryptedRecordValues", "RecordValues"))
  }

  @Test func `of IDs and references are the fixed names`() throws {
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

  @Test func `of queries and predicates are the fixed names`() throws {
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

  @Test func `of subscriptions are the fixed names`() throws {
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

  @Test func `of the configuration of a changes fetch are the fixed names`() throws {
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
    #expect(try written(configuration) == chosen("CKFetchRecordZoneChangesConfiguration"))
    let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
    #expect(try written(options) == chosen("CKFetchRecordZoneChangesOptions"))
    #expect(try written(CKFetchRecordZoneChangesSelection()) == chosen("ZoneChangesSelection"))
  }

  @Test func `in shares and their participants are the fixed ones`() throws {
    let share = CKShare(rootRecord: CKRecord(recordType: "List"))
    #expect(
      try written(share)
        == chosen(
          "CKRecordID", "CKRecordZoneID", "CKShare", "CKShareParticipant", "CKUserIdentity",
          "EncryptedRecordValues", "RecordValues"))
    let lookup = CKUserIdentity.LookupInfo(emailAddress: "a@example.org")
    #expect(try written(lookup) == chosen("CKUserIdentityLookupInfo"))
  }

  /// The archived object is a group of a class that the app defines.
  @Test func `are the Swift names for classes of the app`() throws {
    #expect(try written(AppsGroup()).contains("GoldenTests.AppsGroup"))
  }

  @Test func `are Swift class names in old archives, which can still be read`() throws {
    let data = try GoldenFiles.archive("record-unsaved")
    #expect(try classNames(in: data).contains("StratusKit.RecordValueStore"))
    let coder = try NSKeyedUnarchiver(forReadingFrom: data)
    coder.requiresSecureCoding = true
    let record = coder.decodeObject(of: CKRecord.self, forKey: NSKeyedArchiveRootObjectKey)
    #expect(record?["texts"] as? [String] == ["a", "", "ß"])
  }

  /// Each class name in the golden archives is registered. Without the registration, a name would
  /// be found only as long as the Swift class keeps that name.
  @Test func `of the last release without sharing all have an alias`() throws {
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

  /// Superclasses that never occur in archives themselves.
  private static let basesAlone: Set<String> = ["StratusKit.CKSubscription"]
}

final class AppsGroup: CKOperationGroup, @unchecked Sendable {}
