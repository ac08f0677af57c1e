import CloudKit
import Synchronization
import Testing

/// The notification operations of the 2014 CloudKit API, over sockets.
@Suite(.timeLimit(.minutes(15))) struct `Operations that fetch stored notifications` {
  /// The content of a page: its notifications in order, and its token.
  private struct Page {
    var notifications: [CKNotification] = []
    var token: CKServerChangeToken?
  }

  private static func fetch(
    _ device: CKContainer, since token: CKServerChangeToken?
  ) async throws -> Page {
    let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
    return try await withCheckedThrowingContinuation { continuation in
      let came = Mutex<[CKNotification]>([])
      operation.notificationChangedBlock = { notification in
        came.withLock { $0.append(notification) }
      }
      operation.fetchNotificationChangesCompletionBlock = { token, error in
        if let error { return continuation.resume(throwing: error) }
        continuation.resume(returning: Page(notifications: came.withLock { $0 }, token: token))
      }
      device.add(operation)
    }
  }

  /// Fetches until the page contains `count` notifications. The server queues the notifications of
  /// a change a short time after the change.
  private static func fetchNews(
    _ device: CKContainer, since token: CKServerChangeToken?, count: Int
  ) async throws -> Page {
    while true {
      try Task.checkCancellation()
      let page = try await fetch(device, since: token)
      if page.notifications.count >= count { return page }
    }
  }

  private static func markRead(
    _ ids: [CKNotification.ID], by device: CKContainer
  ) async throws -> [CKNotification.ID] {
    try await withCheckedThrowingContinuation { continuation in
      let operation = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: ids)
      operation.markNotificationsReadCompletionBlock = { marked, error in
        if let error { return continuation.resume(throwing: error) }
        continuation.resume(returning: marked ?? [])
      }
      device.add(operation)
    }
  }

  private static func setBadge(_ value: Int, by device: CKContainer) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      let operation = CKModifyBadgeOperation(badgeValue: value)
      operation.modifyBadgeCompletionBlock = { error in
        if let error { return continuation.resume(throwing: error) }
        continuation.resume()
      }
      device.add(operation)
    }
  }

  @Test
  func `every device fetches all notifications and learns which ones were read`() async throws {
    try await SocketServer.running { server in
      let (phone, tablet) = (try server.device("phone"), try server.device("tablet"))
      let notes = tablet.privateCloudDatabase
      try await notes.watchNotes()
      let start = try await Self.fetch(phone, since: nil)
      #expect(start.notifications.isEmpty)
      try await notes.save(note("a"))
      let came = try await Self.fetchNews(phone, since: start.token, count: 3)
      #expect(
        came.notifications.map(\.words).sorted() == [
          "D database private", "Q query private recordCreated a in Z", "Z zone private Z",
        ])
      // All notifications of one change have the same ID.
      let ids = Set(came.notifications.compactMap(\.notificationID))
      #expect(ids.count == 1)
      let id = try #require(ids.first)
      try await notes.save(note("b"))
      let more = try await Self.fetchNews(phone, since: came.token, count: 3)
      #expect(try await Self.markRead([id], by: phone) == [id])
      // Every device learns that the notification was read. The first token belongs to a device
      // that has fetched only this notification, and the second token to a device that has fetched
      // all of them. The device after this loop has fetched none.
      for token in [came.token, more.token] {
        let page = try await Self.fetch(tablet, since: token)
        let read = page.notifications.filter { $0.notificationType == .readNotification }
        #expect(read.map(\.notificationID) == [id])
        #expect(page.notifications.count == (token == came.token ? 4 : 1))
      }
      let whole = try await Self.fetch(tablet, since: start.token)
      let read = whole.notifications.filter { $0.notificationType == .readNotification }
      #expect(read.map(\.notificationID) == [id])
      #expect(whole.notifications.count == 4)
      #expect(try await Self.fetch(tablet, since: whole.token).notifications.isEmpty)
      #expect(try await Self.markRead([id], by: tablet) == [id], "it is known, and read already")
      #expect(try await Self.fetch(phone, since: whole.token).notifications.isEmpty)
    }
  }

  @Test
  func `a read mark is reported even if a newer notification has replaced the marked one`()
    async throws
  {
    try await SocketServer.running { server in
      let (phone, tablet) = (try server.device("phone"), try server.device("tablet"))
      let notes = tablet.privateCloudDatabase
      try await notes.save(CKRecordZone(zoneID: zoneZ))
      // This subscription is silent, so its notifications replace each other.
      let subscription = CKDatabaseSubscription(subscriptionID: "D")
      subscription.notificationInfo = CKSubscription.NotificationInfo(
        shouldSendContentAvailable: true)
      try await notes.save(subscription)
      try await notes.save(note("a"))
      let before = try await Self.fetchNews(phone, since: nil, count: 1)
      let id = try #require(before.notifications.first?.notificationID)
      #expect(try await Self.markRead([id], by: phone) == [id])
      let marked = try await Self.fetch(phone, since: before.token)
      try await notes.save(note("b"))
      let next = try await Self.fetchNews(phone, since: marked.token, count: 1)
      #expect(next.notifications.map(\.words) == ["D database private"])
      let onTablet = try await Self.fetch(tablet, since: before.token)
      #expect(onTablet.notifications.map(\.notificationType) == [.database, .readNotification])
      #expect(onTablet.notifications.last?.notificationID == id)
    }
  }

  @Test func `the badge counts up from the value that a device has set`() async throws {
    try await SocketServer.running { server in
      let (phone, tablet) = (try server.device("phone"), try server.device("tablet"))
      let notes = tablet.privateCloudDatabase
      try await notes.watchNotes()
      try await Self.setBadge(41, by: phone)
      let start = try await Self.fetch(phone, since: nil)
      try await notes.save(note("a"))
      let page = try await Self.fetchNews(phone, since: start.token, count: 3)
      let query = page.notifications.first { $0.subscriptionID == "Q" }
      #expect(query?.badge == 42)
      await expect(.invalidArguments) { try await Self.setBadge(-1, by: phone) }
    }
  }
}
