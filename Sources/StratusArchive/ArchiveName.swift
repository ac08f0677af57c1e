import Foundation

/// The name of a framework class in archives. The name does not depend on the name of the Swift
/// class.
///
/// An archive contains the class name of each object. Archives are stored in an app's files, in a
/// sync engine's state and in long-lived operations. These names are therefore a public format. A
/// case is never renamed or removed. A class that is renamed or moved to another module keeps its
/// case.
///
/// NB: Foundation on Linux ignores `NSKeyedArchiver.setClassName(_:for:)` and always writes
/// `Module.Class`. Only `classForKeyedArchiver` can change the written name, because it returns
/// another class. This module therefore has an empty class for each name (``standIn``). The module
/// itself is never renamed.
package enum ArchiveName: String, CaseIterable, Sendable {
  case asset = "CKAsset"
  case containerID = "CKContainerID"
  case databaseSubscription = "CKDatabaseSubscription"
  case location = "CLLocation"
  case locationSortDescriptor = "CKLocationSortDescriptor"
  case notificationID = "CKNotificationID"
  case notificationInfo = "CKNotificationInfo"
  case operationGroup = "CKOperationGroup"
  case predicateComparison = "NSComparisonPredicate"
  case query = "CKQuery"
  case queryCursor = "CKQueryCursor"
  case querySubscription = "CKQuerySubscription"
  case record = "CKRecord"
  case recordID = "CKRecordID"
  case recordZone = "CKRecordZone"
  case recordZoneID = "CKRecordZoneID"
  case recordZoneSubscription = "CKRecordZoneSubscription"
  case reference = "CKReference"
  case serverChangeToken = "CKServerChangeToken"
  case share = "CKShare"
  case shareAccessRequester = "CKShareAccessRequester"
  case shareBlockedIdentity = "CKShareBlockedIdentity"
  case shareMetadata = "CKShareMetadata"
  case shareParticipant = "CKShareParticipant"
  case userIdentity = "CKUserIdentity"
  case userIdentityLookupInfo = "CKUserIdentityLookupInfo"
  case zoneChangesConfiguration = "CKFetchRecordZoneChangesConfiguration"
  case zoneChangesOptions = "CKFetchRecordZoneChangesOptions"
  case zoneChangesSelection = "ZoneChangesSelection"
  case encryptedRecordValues = "EncryptedRecordValues"
  case recordValues = "RecordValues"

  /// An empty class. Archives contain its name instead of the name of the real class.
  package var standIn: AnyClass {
    switch self {
    case .asset: CKAsset.self
    case .containerID: CKContainerID.self
    case .databaseSubscription: CKDatabaseSubscription.self
    case .location: CLLocation.self
    case .locationSortDescriptor: CKLocationSortDescriptor.self
    case .notificationID: CKNotificationID.self
    case .notificationInfo: CKNotificationInfo.self
    case .operationGroup: CKOperationGroup.self
    case .predicateComparison: NSComparisonPredicate.self
    case .query: CKQuery.self
    case .queryCursor: CKQueryCursor.self
    case .querySubscription: CKQuerySubscription.self
    case .record: CKRecord.self
    case .recordID: CKRecordID.self
    case .recordZone: CKRecordZone.self
    case .recordZoneID: CKRecordZoneID.self
    case .recordZoneSubscription: CKRecordZoneSubscription.self
    case .reference: CKReference.self
    case .serverChangeToken: CKServerChangeToken.self
    case .share: CKShare.self
    case .shareAccessRequester: CKShareAccessRequester.self
    case .shareBlockedIdentity: CKShareBlockedIdentity.self
    case .shareMetadata: CKShareMetadata.self
    case .shareParticipant: CKShareParticipant.self
    case .userIdentity: CKUserIdentity.self
    case .userIdentityLookupInfo: CKUserIdentityLookupInfo.self
    case .zoneChangesConfiguration: CKFetchRecordZoneChangesConfiguration.self
    case .zoneChangesOptions: CKFetchRecordZoneChangesOptions.self
    case .zoneChangesSelection: ZoneChangesSelection.self
    case .encryptedRecordValues: EncryptedRecordValues.self
    case .recordValues: RecordValues.self
    }
  }

  /// Returns the value of `classForKeyedArchiver` for a class that apps can subclass. An app's
  /// subclass is archived under its own name.
  package func standIn(for object: AnyObject, of ownClass: AnyClass) -> AnyClass {
    type(of: object) == ownClass ? standIn : type(of: object)
  }

  /// All names of the class in archives: the current name, Apple's name, and the name of the Swift
  /// class, which was written until November 2026.
  package var allNames: [String] { ["StratusArchive.\(rawValue)"] + formerNames }

  private var formerNames: [String] {
    switch self {
    case .location: [rawValue, "StratusFoundation.CLLocation"]
    case .predicateComparison: [rawValue, "StratusFoundation.NSComparisonPredicate"]
    case .zoneChangesSelection: ["StratusKit.CKFetchRecordZoneChangesSelection"]
    case .encryptedRecordValues: ["StratusKit.EncryptedValueStore"]
    case .recordValues: ["CKRecordValueStore", "StratusKit.RecordValueStore"]
    case .asset, .databaseSubscription, .locationSortDescriptor, .notificationID,
      .notificationInfo, .operationGroup, .query, .queryCursor, .querySubscription, .record,
      .recordID, .recordZone, .recordZoneID, .recordZoneSubscription, .reference,
      .serverChangeToken, .zoneChangesConfiguration, .zoneChangesOptions:
      [rawValue, "StratusKit.\(rawValue)"]
    // The Swift names of these classes were never written into archives.
    case .containerID, .share, .shareAccessRequester, .shareBlockedIdentity, .shareMetadata,
      .shareParticipant, .userIdentity, .userIdentityLookupInfo:
      [rawValue]
    }
  }

  /// Registers a class under all of its names for every unarchiver, including the unarchivers of
  /// apps.
  package func register(_ knownClass: AnyClass) {
    for name in allNames { NSKeyedUnarchiver.setClass(knownClass, forClassName: name) }
  }
}
