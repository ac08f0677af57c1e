import Foundation
import StratusFoundation
import StratusKitRegistration

/// Makes the framework's classes known by the names Apple's archives give them.
///
/// StratusKitRegistration calls it before `main`.
@_cdecl("stratus_kit_register")
public func __stratusKitRegister() {
  LocationClock.install(Live.now)
  PredicateArchive.allow(CKRecord.self)
  PredicateArchive.allow(CKRecordID.self)
  PredicateArchive.allow(CKReference.self)
  let classes: [(String, AnyClass)] = [
    ("CKDatabaseSubscription", CKDatabaseSubscription.self),
    ("CKNotificationID", CKNotificationID.self),
    ("CKNotificationInfo", CKNotificationInfo.self),
    ("CKQuery", CKQuery.self),
    ("CKQueryCursor", CKQueryCursor.self),
    ("CKQuerySubscription", CKQuerySubscription.self),
    ("CKRecordID", CKRecordID.self),
    ("CKRecordZone", CKRecordZone.self),
    ("CKRecordZoneID", CKRecordZoneID.self),
    ("CKRecordZoneSubscription", CKRecordZoneSubscription.self),
    ("CKReference", CKReference.self),
    ("CKServerChangeToken", CKServerChangeToken.self),
    ("CKRecordValueStore", RecordValueStore.self),
    ("CKEncryptedRecordValueStore", UnknownArchivedValue.self),
    ("CKEncryptedData", UnknownArchivedValue.self),
    ("CKAsset", CKAsset.self),
    ("CLLocation", CLLocation.self),
  ]
  let known: [(String, AnyClass)] = classes + RecordFactory.archivedClasses
  for (name, knownClass): (String, AnyClass) in known {
    NSKeyedUnarchiver.setClass(knownClass, forClassName: name)
  }
}
