import Foundation
import StratusArchive
import StratusFoundation
import StratusKitRegistration

/// Registers the framework's classes under all their names in archives: the current names, Apple's
/// names, and those of earlier releases. Also installs the clock for new locations.
///
/// StratusKitRegistration calls this function before `main`.
@_cdecl("stratus_kit_register")
public func __stratusKitRegister() {
  LocationClock.install(Live.now)
  PredicateArchive.allow(CKRecord.self)
  PredicateArchive.allow(CKRecordID.self)
  PredicateArchive.allow(CKReference.self)
  ArchiveRegistration.register()
  let classes: [(ArchiveName, AnyClass)] = [
    (.asset, CKAsset.self),
    (.containerID, ArchivedContainerID.self),
    (.databaseSubscription, CKDatabaseSubscription.self),
    (.encryptedRecordValues, EncryptedValueStore.self),
    (.locationSortDescriptor, CKLocationSortDescriptor.self),
    (.notificationID, CKNotificationID.self),
    (.notificationInfo, CKNotificationInfo.self),
    (.operationGroup, CKOperationGroup.self),
    (.query, CKQuery.self),
    (.queryCursor, CKQueryCursor.self),
    (.querySubscription, CKQuerySubscription.self),
    (.recordID, CKRecordID.self),
    (.recordValues, RecordValueStore.self),
    (.recordZone, CKRecordZone.self),
    (.recordZoneID, CKRecordZoneID.self),
    (.recordZoneSubscription, CKRecordZoneSubscription.self),
    (.reference, CKReference.self),
    (.serverChangeToken, CKServerChangeToken.self),
    (.shareAccessRequester, CKShare.AccessRequester.self),
    (.shareBlockedIdentity, CKShare.BlockedIdentity.self),
    (.shareMetadata, CKShare.Metadata.self),
    (.shareParticipant, CKShare.Participant.self),
    (.userIdentity, CKUserIdentity.self),
    (.userIdentityLookupInfo, CKUserIdentity.LookupInfo.self),
    (.zoneChangesConfiguration, CKFetchRecordZoneChangesConfiguration.self),
    (.zoneChangesOptions, CKFetchRecordZoneChangesOptions.self),
    (.zoneChangesSelection, CKFetchRecordZoneChangesSelection.self),
  ]
  for (name, knownClass): (ArchiveName, AnyClass) in classes + RecordFactory.archivedClasses {
    name.register(knownClass)
  }
  // Only Apple's archives contain these classes.
  for name in ["CKEncryptedRecordValueStore", "CKEncryptedData"] {
    NSKeyedUnarchiver.setClass(UnknownArchivedValue.self, forClassName: name)
  }
}
