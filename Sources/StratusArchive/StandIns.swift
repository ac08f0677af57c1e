// Empty classes whose names appear in archives; see `ArchiveName`.
//
// NB: neither the classes in this file nor this module may ever be renamed.

final class CKAsset {}
final class CKContainerID {}
final class CKDatabaseSubscription {}
final class CKFetchRecordZoneChangesConfiguration {}
final class CKFetchRecordZoneChangesOptions {}
final class CKLocationSortDescriptor {}
final class CKNotificationID {}
final class CKNotificationInfo {}
final class CKOperationGroup {}
final class CKQuery {}
final class CKQueryCursor {}
final class CKQuerySubscription {}
final class CKRecord {}
final class CKRecordID {}
final class CKRecordZone {}
final class CKRecordZoneID {}
final class CKRecordZoneSubscription {}
final class CKReference {}
final class CKServerChangeToken {}
final class CKShare {}
final class CKShareAccessRequester {}
final class CKShareBlockedIdentity {}
final class CKShareMetadata {}
final class CKShareParticipant {}
final class CKUserIdentity {}
final class CKUserIdentityLookupInfo {}
final class CLLocation {}
final class EncryptedRecordValues {}
final class NSComparisonPredicate {}
final class RecordValues {}
final class ZoneChangesSelection {}
