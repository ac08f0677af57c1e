import CloudKit
import Testing

/// Notification code of apps, which must compile unchanged.
@Suite struct NotificationIdioms {
  private enum FetchResult { case newData, noData }

  /// The method of an app delegate that receives a push notification.
  private func didReceive(_ userInfo: [AnyHashable: Any]) -> FetchResult {
    guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else {
      return .noData
    }
    guard notification.subscriptionID == "private-changes" else { return .noData }
    switch notification.notificationType {
    case .database: return .newData
    case .query, .recordZone, .readNotification: return .noData
    @unknown default: return .noData
    }
  }

  @Test func `a push notification can be identified by its subscription`() {
    let push: [AnyHashable: Any] = [
      "aps": ["content-available": 1],
      "ck": ["met": ["sid": "private-changes", "dbs": 2], "nid": "1"] as [String: Any],
    ]
    #expect(didReceive(push) == .newData)
    #expect(didReceive(["aps": ["alert": "Hello"]]) == .noData)
  }

  @Test func `a notification can be cast to its class`() throws {
    let userInfo: [String: Any] = [
      "ck": [
        "qry": ["sid": "messages", "rid": "m1", "fo": 1, "dbs": 1, "af": ["text": "Hi"]]
          as [String: Any]
      ]
    ]
    let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
    var shown: String?
    if let query = notification as? CKQueryNotification,
      query.queryNotificationReason == .recordCreated, let recordID = query.recordID
    {
      shown = "\(recordID.recordName): \(query.recordFields?["text"] as? String ?? "")"
    }
    #expect(shown == "m1: Hi")
    let zone = CKRecordZoneNotification(fromRemoteNotificationDictionary: userInfo)
    #expect(zone?.recordZoneID == nil)
  }

  @Test func `the sequence of notifications ends when its task is cancelled`() async {
    let settings = CKContainer.Settings(apiToken: "none", webAuthToken: nil)
    let container = CKContainer(identifier: "iCloud.org.example.Nobody", settings: settings)
    let task = Task {
      var count = 0
      for await notification in container.remoteNotifications {
        if notification is CKDatabaseNotification { count += 1 }
      }
      return count
    }
    task.cancel()
    #expect(await task.value == 0)
  }

  /// Compiled but not called, because it needs a server.
  private func catchUp(_ container: CKContainer, since token: CKServerChangeToken?) {
    let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
    var unread: [CKNotification.ID] = []
    operation.notificationChangedBlock = { notification in
      if notification.notificationType != .readNotification, let id = notification.notificationID {
        unread.append(id)
      }
    }
    operation.fetchNotificationChangesCompletionBlock = { _, error in
      guard error == nil else { return }
      let mark = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: unread)
      mark.markNotificationsReadCompletionBlock = { _, _ in }
      container.add(mark)
    }
    container.add(operation)
    let badge = CKModifyBadgeOperation(badgeValue: 0)
    badge.modifyBadgeCompletionBlock = { error in if let error { print(error) } }
    container.add(badge)
  }
}
