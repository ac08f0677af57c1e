import CloudKit
import Foundation
import StratusServer
import StratusTesting
import Testing

/// A whole server on a socket, as `stratus serve` runs it. Its only account has several devices.
struct SocketServer: Sendable {
  private let ready: Server.Ready
  private let folder: URL

  /// Runs a test with a server.
  static func running(_ body: @Sendable (SocketServer) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-socket-" + CKRecord.ID().recordName)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (states, state) = AsyncStream.makeStream(of: Server.Ready.self)
    let server = Server(
      settings: Settings(
        dataFolder: folder.appendingPathComponent("data"), port: 0,
        developerEmail: "ann@example.org"),
      logger: CapturedLog().logger)
    let running = Task {
      defer { state.finish() }
      try await server.run { state.yield($0) }
    }
    var iterator = states.makeAsyncIterator()
    let result: Result<Void, any Error>
    do {
      let ready = try #require(await iterator.next())
      result = .success(try await body(SocketServer(ready: ready, folder: folder)))
    } catch {
      result = .failure(error)
    }
    running.cancel()
    _ = await running.result
    try result.get()
  }

  /// Returns one of Ann's devices. The device uses the framework as apps do. Equal names give the
  /// same device.
  func device(_ name: String) throws -> CKContainer {
    let url: URL = try #require(URL(string: ready.url))
    return CKContainer(
      identifier: Cloud.containerID,
      settings: CKContainer.Settings(
        url: url, environment: .development,
        apiToken: ready.apiToken, webAuthToken: ready.webAuthToken,
        stateFolder: folder.appendingPathComponent(name)))
  }
}

/// Collects the notifications of a device until the notification about a given record arrives.
struct Listening: Sendable {
  private let heard: Journal
  private let task: Task<[CKNotification], Never>

  /// Starts to collect notifications.
  init(on device: CKContainer, until last: String) {
    let heard = Journal()
    self.heard = heard
    task = Task {
      var all: [CKNotification] = []
      for await notification in device.remoteNotifications {
        heard.note(notification.words)
        all.append(notification)
        if notification.noteName == last { break }
      }
      return all
    }
  }

  /// Whether a notification has arrived. The first one shows that the device is registered.
  var hasHeard: Bool { !heard.all.isEmpty }

  /// Waits for the last notification. Returns all notifications except those of the ``Prober``.
  func result() async -> [CKNotification] {
    await withTaskCancellationHandler {
      await task.value.filter { $0.subscriptionID != Prober.subscriptionID }
    } onCancel: {
      task.cancel()
    }
  }

  func stop() async {
    task.cancel()
    _ = await task.value
  }
}

/// Saves records until other devices have received a notification. A device receives no
/// notification from before its registration, so its first notification shows that the device is
/// registered.
struct Prober: Sendable {
  static let subscriptionID = "probe"
  let device: CKContainer

  /// - Parameter device: a device that does not collect notifications.
  init(_ device: CKContainer) async throws {
    self.device = device
    // A subscription needs an existing record type.
    try await device.privateCloudDatabase.save(CKRecord(recordType: "Probe"))
    let probes = CKQuerySubscription(
      recordType: "Probe", predicate: NSPredicate(value: true),
      subscriptionID: Self.subscriptionID, options: [.firesOnRecordCreation])
    probes.notificationInfo = CKSubscription.NotificationInfo(alertBody: "probe")
    try await device.privateCloudDatabase.save(probes)
  }

  /// Saves records until each listener has received a notification.
  func wait(for listeners: Listening...) async throws {
    while !listeners.allSatisfy(\.hasHeard) {
      try Task.checkCancellation()
      try await device.privateCloudDatabase.save(CKRecord(recordType: "Probe"))
    }
  }
}

extension CKNotification {
  /// The name of the record in a query notification.
  var noteName: String? { (self as? CKQueryNotification)?.recordID?.recordName }

  /// The notification as text: the subscription, the kind, and the record, zone or database.
  var words: String {
    switch self {
    case let query as CKQueryNotification:
      "\(subscriptionID ?? "") query \(query.databaseScope) \(query.queryNotificationReason) "
        + "\(query.recordID?.recordName ?? "") in \(query.recordID?.zoneID.zoneName ?? "")"
    case let zone as CKRecordZoneNotification:
      "\(subscriptionID ?? "") zone \(zone.databaseScope) \(zone.recordZoneID?.zoneName ?? "")"
    case let database as CKDatabaseNotification:
      "\(subscriptionID ?? "") database \(database.databaseScope)"
    case _: "\(notificationType)"
    }
  }
}

extension CKDatabase {
  /// Subscribes to new notes, to zone Z and to the whole database, with visible notifications.
  func watchNotes() async throws {
    try await save(CKRecordZone(zoneID: zoneZ))
    // A query subscription needs an existing record type.
    try await save(note("first"))
    let subscriptions: [CKSubscription] = [
      CKQuerySubscription(
        recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "Q",
        options: [.firesOnRecordCreation]),
      CKRecordZoneSubscription(zoneID: zoneZ, subscriptionID: "Z"),
      CKDatabaseSubscription(subscriptionID: "D"),
    ]
    for subscription in subscriptions {
      // NB: silent notifications of zones and databases would replace each other.
      subscription.notificationInfo = CKSubscription.NotificationInfo(
        alertBody: "new", shouldBadge: subscription.subscriptionID == "Q")
      try await save(subscription)
    }
  }
}
