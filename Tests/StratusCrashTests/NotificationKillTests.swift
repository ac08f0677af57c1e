import CloudKit
import Foundation
import Synchronization
import Testing

/// Apps use the framework to receive notifications from a server that is killed.
@Suite(.timeLimit(.minutes(10))) struct `Notifications of a killed server` {
  private static let roundsCount = 3
  private static let notesPerRound = 20

  /// A device that subscribes to notifications. The test does not tell the device about the kills.
  private final class Device: Sendable {
    let names = Mutex<Set<String>>([])
    private let container: CKContainer

    init(_ container: CKContainer) { self.container = container }

    var hasHeard: Bool { names.withLock { !$0.isEmpty } }

    /// Receives notifications until the notification of the given note arrives. Records the name of
    /// the note of each notification.
    func listen(until last: String) async {
      for await notification in container.remoteNotifications {
        guard let query = notification as? CKQueryNotification, let id = query.recordID else {
          continue
        }
        _ = names.withLock { $0.insert(id.recordName) }
        if id.recordName == last { return }
      }
    }
  }

  private static func container(
    _ name: String, at server: ServerProcess, in folder: URL
  ) throws -> CKContainer {
    let url: URL = try #require(URL(string: server.url))
    return CKContainer(
      identifier: "iCloud.test.crash",
      settings: CKContainer.Settings(
        url: url, environment: .development,
        apiToken: server.apiToken, webAuthToken: server.webAuthToken,
        stateFolder: folder.appendingPathComponent("state-\(name)")))
  }

  /// Writes a note.
  ///
  /// - Returns: whether the server has acknowledged it.
  private static func write(_ name: String, to database: CKDatabase) async -> Bool {
    do {
      try await database.save(CKRecord(recordType: "Note", recordID: .init(recordName: name)))
      return true
    } catch {
      return false
    }
  }

  /// Writes notes until each device has received a notification. A device receives no notification
  /// from before its registration, so its first notification shows that the device is registered.
  private static func waitForStreams(of devices: [Device], _ notes: CKDatabase) async throws {
    var count = 0
    while !devices.allSatisfy(\.hasHeard) {
      try Task.checkCancellation()
      count += 1
      _ = await write("probe-\(count)", to: notes)
    }
  }

  @Test func `clients of a killed server reconnect and get every notification`() async throws {
    let binary = try #require(
      ServerBinary.find(), "build the product stratus first, or set STRATUS_RELEASE_BINARY")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "stratus-notifications-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let data = folder.appendingPathComponent("data")
    var server = try await ServerProcess.start(binary, data: data)
    defer { server.killHard() }
    let port = try #require(URL(string: server.url)?.port)
    let writer = try Self.container("writer", at: server, in: folder)
    let notes = writer.privateCloudDatabase
    // A subscription needs an existing record type.
    #expect(await Self.write("first", to: notes))
    let subscription = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "notes",
      options: [.firesOnRecordCreation])
    subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "new")
    try await notes.save(subscription)
    let devices = try ["phone", "tablet"].map {
      Device(try Self.container($0, at: server, in: folder))
    }
    let listening = devices.map { device in Task { await device.listen(until: "last") } }
    defer { for task in listening { task.cancel() } }
    try await Self.waitForStreams(of: devices, notes)

    var acknowledged: Set<String> = []
    for round in 1...Self.roundsCount {
      for number in 1...Self.notesPerRound {
        let name = "note-\(round)-\(number)"
        if await Self.write(name, to: notes) { acknowledged.insert(name) }
      }
      server.killHard()
      await server.waitForEnd()
      server = try await ServerProcess.start(binary, data: data, port: port)
    }
    while !(await Self.write("last", to: notes)) { try Task.checkCancellation() }
    for task in listening {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
    #expect(acknowledged.count == Self.roundsCount * Self.notesPerRound)
    for device in devices {
      #expect(acknowledged.subtracting(device.names.withLock { $0 }).sorted() == [])
    }
  }
}
