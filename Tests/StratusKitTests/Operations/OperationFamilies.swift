import Foundation
import StratusFoundation
import StratusWire

@testable import StratusKit

/// All operation classes. Each entry can make an operation with every property set, set the
/// operation's blocks, and change every property.
enum OperationFamilies {
  static let all: [OperationFamily] =
    records + changes + zones + subscriptions + container
    + users + shares

  private static let token = CKServerChangeToken(syncToken: "old")
  private static let otherToken = CKServerChangeToken(syncToken: "other")
  private static let zoneY = CKRecordZone.ID(zoneName: "Y")

  private static let records: [OperationFamily] = [
    OperationFamily(
      CKModifyRecordsOperation.self,
      {
        let operation = CKModifyRecordsOperation(
          recordsToSave: [note("a")], recordIDsToDelete: [id("b")])
        operation.savePolicy = .allKeys
        operation.isAtomic = false
        operation.clientChangeTokenData = Data([1])
        return operation
      }
    ) { operation, note in
      operation.perRecordProgressBlock = { _, _ in note("progress") }
      operation.perRecordSaveBlock = { id, _ in note("save \(id.recordName)") }
      operation.perRecordDeleteBlock = { id, _ in note("delete \(id.recordName)") }
      operation.modifyRecordsResultBlock = { _ in note("result") }
    } change: { operation in
      operation.recordsToSave = [note("x")]
      operation.recordIDsToDelete = nil
      operation.savePolicy = .changedKeys
      operation.isAtomic = true
      operation.clientChangeTokenData = nil
    },
    OperationFamily(
      CKFetchRecordsOperation.self,
      {
        let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
        operation.desiredKeys = ["title"]
        return operation
      }
    ) { operation, note in
      operation.perRecordProgressBlock = { _, _ in note("progress") }
      operation.perRecordResultBlock = { id, _ in note("record \(id.recordName)") }
      operation.fetchRecordsResultBlock = { _ in note("result") }
    } change: { operation in
      operation.recordIDs = [id("x")]
      operation.desiredKeys = nil
    },
    OperationFamily(
      CKQueryOperation.self,
      {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let operation = CKQueryOperation(query: query)
        operation.zoneID = zoneZ
        operation.resultsLimit = 3
        operation.desiredKeys = ["title"]
        return operation
      }
    ) { operation, note in
      operation.recordMatchedBlock = { id, _ in note("record \(id.recordName)") }
      operation.queryResultBlock = { _ in note("result") }
    } change: { operation in
      operation.query?.sortDescriptors = nil
      operation.query = CKQuery(recordType: "Other", predicate: NSPredicate(value: true))
      operation.zoneID = nil
      operation.resultsLimit = 9
      operation.desiredKeys = nil
    },
  ]

  private static let changes: [OperationFamily] = [
    OperationFamily(
      CKFetchDatabaseChangesOperation.self,
      {
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        operation.resultsLimit = 3
        return operation
      }
    ) { operation, note in
      operation.recordZoneWithIDChangedBlock = { note("zone \($0.zoneName)") }
      operation.changeTokenUpdatedBlock = { _ in note("token") }
      operation.fetchDatabaseChangesResultBlock = { _ in note("result") }
    } change: { operation in
      operation.previousServerChangeToken = otherToken
      operation.resultsLimit = 9
      operation.fetchAllChanges = false
    },
    OperationFamily(
      CKFetchRecordZoneChangesOperation.self,
      {
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
          previousServerChangeToken: token, resultsLimit: 3, desiredKeys: ["title"])
        return CKFetchRecordZoneChangesOperation(
          recordZoneIDs: [zoneZ], configurationsByRecordZoneID: [zoneZ: configuration])
      }
    ) { operation, note in
      operation.recordWasChangedBlock = { id, _ in note("record \(id.recordName)") }
      operation.recordZoneFetchResultBlock = { id, _ in note("zone \(id.zoneName)") }
      operation.fetchRecordZoneChangesResultBlock = { _ in note("result") }
    } change: { operation in
      operation.configurationsByRecordZoneID?[zoneZ]?.resultsLimit = 9
      operation.configurationsByRecordZoneID?[zoneZ]?.desiredKeys = nil
      operation.configurationsByRecordZoneID?[zoneZ]?.previousServerChangeToken = otherToken
      operation.recordZoneIDs = [zoneY]
      operation.fetchAllChanges = false
    },
    OperationFamily(
      CKFetchRecordChangesOperation.self,
      {
        let operation = CKFetchRecordChangesOperation(
          recordZoneID: zoneZ, previousServerChangeToken: token)
        operation.resultsLimit = 3
        operation.desiredKeys = ["title"]
        return operation
      }
    ) { operation, note in
      operation.recordChangedBlock = { note("record \($0.recordID.recordName)") }
      operation.fetchRecordChangesCompletionBlock = { _, _, _ in note("result") }
    } change: { operation in
      operation.recordZoneID = zoneY
      operation.previousServerChangeToken = otherToken
      operation.resultsLimit = 9
      operation.desiredKeys = nil
    },
  ]

  private static let zones: [OperationFamily] = [
    OperationFamily(
      CKFetchRecordZonesOperation.self,
      {
        CKFetchRecordZonesOperation(recordZoneIDs: [zoneZ])
      }
    ) { operation, note in
      operation.perRecordZoneResultBlock = { id, _ in note("zone \(id.zoneName)") }
      operation.fetchRecordZonesResultBlock = { _ in note("result") }
    } change: { operation in
      operation.recordZoneIDs = [zoneY]
    },
    OperationFamily(
      CKModifyRecordZonesOperation.self,
      {
        CKModifyRecordZonesOperation(
          recordZonesToSave: [CKRecordZone(zoneID: zoneZ)], recordZoneIDsToDelete: [zoneY])
      }
    ) { operation, note in
      operation.perRecordZoneSaveBlock = { id, _ in note("save \(id.zoneName)") }
      operation.perRecordZoneDeleteBlock = { id, _ in note("delete \(id.zoneName)") }
      operation.modifyRecordZonesResultBlock = { _ in note("result") }
    } change: { operation in
      operation.recordZonesToSave?.first?.encryptionScope = .perZone
      operation.recordZonesToSave = nil
      operation.recordZoneIDsToDelete = []
    },
  ]

  private static let subscriptions: [OperationFamily] = [
    OperationFamily(
      CKFetchSubscriptionsOperation.self,
      {
        CKFetchSubscriptionsOperation(subscriptionIDs: ["s"])
      }
    ) { operation, note in
      operation.perSubscriptionResultBlock = { id, _ in note("subscription \(id)") }
      operation.fetchSubscriptionsResultBlock = { _ in note("result") }
    } change: { operation in
      operation.subscriptionIDs = ["x"]
    },
    OperationFamily(
      CKModifySubscriptionsOperation.self,
      {
        CKModifySubscriptionsOperation(
          subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "s")],
          subscriptionIDsToDelete: ["d"])
      }
    ) { operation, note in
      operation.perSubscriptionSaveBlock = { id, _ in note("save \(id)") }
      operation.perSubscriptionDeleteBlock = { id, _ in note("delete \(id)") }
      operation.modifySubscriptionsResultBlock = { _ in note("result") }
    } change: { operation in
      let subscription = operation.subscriptionsToSave?.first as? CKDatabaseSubscription
      subscription?.recordType = "Note"
      operation.subscriptionsToSave = nil
      operation.subscriptionIDsToDelete = []
    },
  ]

  /// The operations that run on a container, not on a database.
  private static let container: [OperationFamily] = [
    OperationFamily(
      CKModifyBadgeOperation.self,
      {
        CKModifyBadgeOperation(badgeValue: 4)
      }
    ) { operation, note in
      operation.modifyBadgeCompletionBlock = { _ in note("result") }
    } change: { operation in
      operation.badgeValue = 9
    },
    OperationFamily(
      CKMarkNotificationsReadOperation.self,
      {
        CKMarkNotificationsReadOperation(notificationIDsToMarkRead: [CKNotificationID("a")])
      }
    ) { operation, note in
      operation.markNotificationsReadCompletionBlock = { ids, _ in note("\(ids?.count ?? 0)") }
    } change: { operation in
      operation.notificationIDs = nil
    },
    OperationFamily(
      CKFetchNotificationChangesOperation.self,
      {
        let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
        operation.resultsLimit = 3
        return operation
      }
    ) { operation, note in
      operation.notificationChangedBlock = { _ in note("notification") }
      operation.fetchNotificationChangesCompletionBlock = { _, _ in note("result") }
    } change: { operation in
      operation.previousServerChangeToken = otherToken
      operation.resultsLimit = 9
    },
  ]

  private static let users: [OperationFamily] = [
    OperationFamily(
      CKDiscoverUserIdentitiesOperation.self,
      {
        CKDiscoverUserIdentitiesOperation(
          userIdentityLookupInfos: [CKUserIdentity.LookupInfo(emailAddress: "a@b.org")])
      }
    ) { operation, note in
      operation.userIdentityDiscoveredBlock = { identity, lookup in
        note("\(identity.userRecordID?.recordName ?? "") \(lookup.emailAddress ?? "")")
      }
      operation.discoverUserIdentitiesResultBlock = { _ in note("result") }
    } change: { operation in
      operation.userIdentityLookupInfos = [CKUserIdentity.LookupInfo(emailAddress: "x@y.org")]
    },
    OperationFamily(
      CKDiscoverAllUserIdentitiesOperation.self, { CKDiscoverAllUserIdentitiesOperation() }
    ) { operation, note in
      operation.userIdentityDiscoveredBlock = { _ in note("identity") }
      operation.discoverAllUserIdentitiesResultBlock = { _ in note("result") }
    } change: { _ in
    },
    OperationFamily(
      CKFetchWebAuthTokenOperation.self, { CKFetchWebAuthTokenOperation(apiToken: "a") }
    ) { operation, note in
      operation.fetchWebAuthTokenResultBlock = { note("\((try? $0.get()) ?? "none")") }
    } change: { operation in
      operation.apiToken = "b"
    },
  ]

  private static let shareURLs = ["G", "H"].compactMap {
    URL(string: "https://cloud.example.org/share/\($0)")
  }

  private static let metadatas =
    (try? ["G", "H"].map {
      try CKShare.Metadata(
        wire: WireShares.resolved(ShortGUID(value: $0)), naming: WireShares.naming)
    }) ?? []

  /// The operations that fetch share metadata, accept shares, request access and look up
  /// participants.
  private static let shares: [OperationFamily] = [
    OperationFamily(
      CKFetchShareMetadataOperation.self,
      {
        let operation = CKFetchShareMetadataOperation(shareURLs: [shareURLs[0]])
        operation.shouldFetchRootRecord = true
        operation.rootRecordDesiredKeys = ["title"]
        return operation
      }
    ) { operation, note in
      operation.perShareMetadataResultBlock = { url, _ in note("share \(url.lastPathComponent)") }
      operation.fetchShareMetadataResultBlock = { _ in note("result") }
    } change: { operation in
      operation.shareURLs = [shareURLs[1]]
      operation.shouldFetchRootRecord = false
      operation.rootRecordDesiredKeys = nil
    },
    OperationFamily(
      CKAcceptSharesOperation.self,
      {
        CKAcceptSharesOperation(shareMetadatas: [metadatas[0]])
      }
    ) { operation, note in
      operation.perShareResultBlock = { metadata, _ in note("share \(metadata.shortGUID)") }
      operation.acceptSharesResultBlock = { _ in note("result") }
    } change: { operation in
      operation.shareMetadatas = [metadatas[1]]
    },
    OperationFamily(
      CKShareRequestAccessOperation.self,
      {
        CKShareRequestAccessOperation(shareURLs: [shareURLs[0]])
      }
    ) { operation, note in
      operation.perShareAccessRequestResultBlock = { url, _ in
        note("request \(url.lastPathComponent)")
      }
      operation.shareAccessRequestResultBlock = { _ in note("result") }
    } change: { operation in
      operation.shareURLs = [shareURLs[1]]
    },
    OperationFamily(
      CKFetchShareParticipantsOperation.self,
      {
        CKFetchShareParticipantsOperation(
          userIdentityLookupInfos: [CKUserIdentity.LookupInfo(emailAddress: "a@b.org")])
      }
    ) { operation, note in
      operation.perShareParticipantResultBlock = { lookup, _ in
        note("participant \(lookup.emailAddress ?? "")")
      }
      operation.fetchShareParticipantsResultBlock = { _ in note("result") }
    } change: { operation in
      operation.userIdentityLookupInfos = [CKUserIdentity.LookupInfo(emailAddress: "x@y.org")]
    },
  ]
}
