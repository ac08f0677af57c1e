import CloudKit
import Testing

/// Subscription code of apps, which must compile unchanged.
@Suite struct SubscriptionIdioms {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)

  private static var silent: CKSubscription.NotificationInfo {
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    return info
  }

  @Test func `an app can create a database subscription with an operation`() {
    let subscription = CKDatabaseSubscription(subscriptionID: "private-changes")
    let notificationInfo = CKSubscription.NotificationInfo()
    notificationInfo.shouldSendContentAvailable = true
    subscription.notificationInfo = notificationInfo

    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription], subscriptionIDsToDelete: nil)
    operation.modifySubscriptionsCompletionBlock = { _, _, error in
      if let error = error as? CKError, error.code == .partialFailure {
        print(error.localizedDescription)
      }
    }
    operation.modifySubscriptionsResultBlock = { result in
      switch result {
      case .success: break
      case .failure(let error): print(error)
      }
    }
    operation.qualityOfService = .utility
    #expect(operation.subscriptionsToSave?.first?.subscriptionID == "private-changes")
    #expect(operation.subscriptionIDsToDelete == nil)
    #expect(subscription.notificationInfo?.shouldSendContentAvailable == true)
  }

  @Test func `an app can define an alert that shows the fields of a record`() {
    let subscription = CKQuerySubscription(
      recordType: "Message",
      predicate: NSPredicate(format: "channel == %@", "general"),
      subscriptionID: "messages",
      options: [.firesOnRecordCreation, .firesOnRecordUpdate])
    let info = CKQuerySubscription.NotificationInfo()
    info.alertLocalizationKey = "%1$@: %2$@"
    info.alertLocalizationArgs = ["author", "text"]
    info.title = "New message"
    info.soundName = "default"
    info.shouldBadge = true
    info.desiredKeys = ["author"]
    info.collapseIDKey = "channel"
    subscription.notificationInfo = info
    subscription.zoneID = zoneID
    #expect(subscription.querySubscriptionOptions.contains(.firesOnRecordUpdate))
    #expect(!subscription.querySubscriptionOptions.contains(.firesOnce))
    #expect(subscription.predicate.description == "channel == \"general\"")
    #expect(subscription.notificationInfo?.alertLocalizationArgs?.count == 2)
  }

  @Test func `subscription classes can be distinguished`() {
    let subscriptions: [CKSubscription] = [
      CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone"),
      CKDatabaseSubscription(subscriptionID: "database"),
      CKQuerySubscription(
        recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "query",
        options: .firesOnRecordDeletion),
    ]
    var kinds: [String] = []
    for subscription in subscriptions {
      switch subscription.subscriptionType {
      case .query: kinds.append("query")
      case .recordZone: kinds.append("zone")
      case .database: kinds.append("database")
      @unknown default: kinds.append("?")
      }
      subscription.notificationInfo = Self.silent
    }
    #expect(kinds == ["zone", "database", "query"])
    #expect((subscriptions.first as? CKRecordZoneSubscription)?.zoneID == zoneID)
    let byID = Dictionary(uniqueKeysWithValues: subscriptions.map { ($0.subscriptionID, $0) })
    #expect(byID["query"] is CKQuerySubscription)
  }

  /// Compiled but not called, because it needs a server.
  private func ensureSubscribed(_ database: CKDatabase) async throws {
    let id: CKSubscription.ID = "zone"
    do {
      _ = try await database.subscription(for: id)
    } catch let error as CKError where error.code == .unknownItem {
      let subscription = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: id)
      subscription.notificationInfo = Self.silent
      try await database.save(subscription)
    }
    let existing = try await database.allSubscriptions()
    let stale = existing.map(\.subscriptionID).filter { $0.hasPrefix("v1-") }
    let (_, deleteResults) = try await database.modifySubscriptions(saving: [], deleting: stale)
    for (id, result) in deleteResults {
      if case .failure(let error) = result { print(id, error) }
    }
    try await database.deleteSubscription(withID: "old")
  }

  /// Compiled but not called, because it needs a server.
  private func withCompletionHandlers(_ database: CKDatabase) {
    database.fetchAllSubscriptions { subscriptions, error in
      guard error == nil, let subscriptions else { return }
      for subscription in subscriptions {
        database.delete(withSubscriptionID: subscription.subscriptionID) { _, _ in }
      }
    }
    database.save(CKDatabaseSubscription(subscriptionID: "all")) { subscription, error in
      print(subscription?.subscriptionID ?? "", error ?? "")
    }
    database.fetch(withSubscriptionID: "all") { _, error in
      if (error as? CKError)?.code == .unknownItem { return }
    }
    let fetch = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    fetch.fetchSubscriptionCompletionBlock = { subscriptions, _ in
      print(subscriptions?.keys.sorted() ?? [])
    }
    fetch.perSubscriptionResultBlock = { id, result in print(id, result) }
    database.add(fetch)
  }
}
