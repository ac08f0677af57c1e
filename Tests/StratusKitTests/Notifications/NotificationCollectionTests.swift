import Foundation
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

/// The notification operations of the 2014 CloudKit API.
@Suite struct NotificationCollection {
  private let server = FakeServer()

  /// Runs an operation and waits until it is finished.
  private func run(_ operation: CKOperation) async {
    let container = server.container()
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      container.add(operation)
    }
  }

  private func notification(
    _ number: Int64, _ id: String, isRead: Bool = false
  ) -> NumberedNotification {
    NumberedNotification(
      number: number,
      payload: NotificationPayload(
        containerIdentifier: "C", notificationID: id, userRecordName: "_me",
        event: .zone(subscriptionID: "s", ZoneID(zoneName: "Z"), .private)),
      isRead: isRead)
  }

  @Test func `a fetch of notifications returns a page and the page's token`() async throws {
    server.on(FetchNotifications.self) { request in
      #expect(request.serverChangeToken == "t1")
      #expect(request.resultsLimit == 3)
      return FetchNotifications.Response(
        notifications: [notification(1, "a"), notification(2, "b", isRead: true)],
        readIDs: ["b", "old"], serverChangeToken: "t2", moreComing: true)
    }
    let journal = Journal()
    let operation = CKFetchNotificationChangesOperation(
      previousServerChangeToken: CKServerChangeToken(syncToken: "t1"))
    operation.resultsLimit = 3
    operation.notificationChangedBlock = {
      journal.note("\($0.notificationType) \($0.notificationID?.text ?? "nil")")
    }
    operation.fetchNotificationChangesCompletionBlock = { [unowned operation] token, error in
      journal.note("\(token?.syncToken ?? "nil") \(error == nil) \(operation.moreComing)")
    }
    #expect(!operation.moreComing)
    await run(operation)
    #expect(
      journal.all == [
        "recordZone a", "readNotification b", "readNotification old", "t2 true true",
      ])
    #expect(server.calls.map(\.path) == ["private/notifications/changes"])
  }

  @Test
  func `a failed fetch of notifications keeps the previous server change token`() async throws {
    server.on(FetchNotifications.self) { _ in throw refusal(.authenticationRequired) }
    let journal = Journal()
    let operation = CKFetchNotificationChangesOperation(
      previousServerChangeToken: CKServerChangeToken(syncToken: "t1"))
    operation.fetchNotificationChangesCompletionBlock = { token, error in
      journal.note("\(token?.syncToken ?? "nil") \(code(error) == .notAuthenticated)")
    }
    await run(operation)
    #expect(journal.all == ["t1 true"])
    #expect(!operation.moreComing)
  }

  @Test
  func `a mark-as-read operation reports the notifications that the server found`()
    async throws
  {
    server.on(MarkNotificationsRead.self) { request in
      MarkNotificationsRead.Request(ids: request.ids.filter { $0 != "gone" })
    }
    let journal = Journal()
    let ids = ["a", "gone", "b"].map(CKNotificationID.init)
    let operation = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: ids)
    operation.markNotificationsReadCompletionBlock = { ids, error in
      journal.note("\(ids?.map(\.text) ?? []) \(error == nil)")
    }
    await run(operation)
    let empty = CKMarkNotificationsReadOperation()
    empty.markNotificationsReadCompletionBlock = { ids, error in
      journal.note("\(ids?.count ?? -1) \(error == nil)")
    }
    await run(empty)
    #expect(journal.all == [#"["a", "b"] true"#, "0 true"])
    #expect(server.calls.count == 1)
  }

  @Test func `the badge operation sends its value to the server`() async throws {
    let values = Mutex<[Int]>([])
    server.on(SetBadge.self) { request in
      values.withLock { $0.append(request.value) }
      return EmptyRequest()
    }
    let journal = Journal()
    let operation = CKModifyBadgeOperation(badgeValue: 4)
    operation.modifyBadgeCompletionBlock = { journal.note("\($0 == nil)") }
    await run(operation)
    #expect(values.withLock { $0 } == [4])
    #expect(journal.all == ["true"])
  }
}
