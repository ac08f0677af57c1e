import CloudKit
import StratusTesting
import Synchronization
import Testing

@Suite struct `Faulty notifications` {
  /// The record names of the notifications that a device has received.
  private final class NotificationRecorder: Sendable {
    private let heard = Mutex<[String]>([])

    var names: [String] { heard.withLock { $0 } }

    func listen(to container: CKContainer) -> Task<Void, Never> {
      Task {
        for await notification in container.remoteNotifications {
          guard let query = notification as? CKQueryNotification else { continue }
          heard.withLock { $0.append(query.recordID?.recordName ?? "?") }
        }
      }
    }
  }

  /// Runs a test while the laptop receives notifications about the notes of the phone.
  private func withRecorder(_ body: (Stage, NotificationRecorder) async throws -> Void) async throws
  {
    try await withStage { stage in
      try await stage.laptopDatabase.save(
        CKQuerySubscription(
          recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "notes",
          options: [.firesOnRecordCreation]))
      let recorder = NotificationRecorder()
      let task = recorder.listen(to: stage.laptop.container(Stage.containerID))
      defer { task.cancel() }
      try await stage.server.wait { stage.laptop.requestsCount(.notifications) > 0 }
      try await stage.save("a")
      try await stage.server.wait { recorder.names == ["a"] }
      try await body(stage, recorder)
    }
  }

  @Test func `a test can drop a notification`() async throws {
    try await withRecorder { stage, recorder in
      stage.laptop.dropNotifications()
      try await stage.save("b")
      await stage.server.clock.advance(by: .seconds(1))
      // The stream is opened again and does not deliver the lost notification.
      stage.laptop.isOnline = false
      stage.laptop.isOnline = true
      try await stage.save("c")
      try await stage.server.wait { recorder.names.contains("c") }
      #expect(recorder.names == ["a", "c"])
    }
  }

  @Test func `a notification can be lost in one container only`() async throws {
    try await withStage { stage in
      // In both containers, the numbers of the notifications begin at the same number.
      let containerIDs = [Stage.containerID, "iCloud.com.example.Other"]
      let recorders = [NotificationRecorder(), NotificationRecorder()]
      var tasks: [Task<Void, Never>] = []
      defer { for task in tasks { task.cancel() } }
      func save(_ name: String, in place: Int) async throws {
        try await stage.phone.container(containerIDs[place]).privateCloudDatabase.save(
          CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name)))
      }
      for place in [0, 1] {
        let container = stage.laptop.container(containerIDs[place])
        // A subscription needs an existing record type.
        try await save("first", in: place)
        try await container.privateCloudDatabase.save(
          CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "notes",
            options: [.firesOnRecordCreation]))
        tasks.append(recorders[place].listen(to: container))
      }
      try await stage.server.wait { stage.laptop.requestsCount(.notifications) > 1 }
      for place in [0, 1] {
        try await save("a", in: place)
        try await stage.server.wait { recorders[place].names == ["a"] }
      }
      stage.laptop.dropNotifications()
      for place in [0, 1] { try await save("b", in: place) }
      try await stage.server.wait { recorders[1].names == ["a", "b"] }
      #expect(recorders[0].names == ["a"])
    }
  }

  @Test func `a notification can arrive twice`() async throws {
    try await withRecorder { stage, recorder in
      stage.laptop.duplicateNotifications()
      try await stage.save("b")
      try await stage.save("c")
      try await stage.server.wait { recorder.names.count >= 4 }
      #expect(recorder.names == ["a", "b", "b", "c"])
    }
  }

  @Test func `notifications can be held until the test releases them`() async throws {
    try await withRecorder { stage, recorder in
      stage.laptop.holdNotifications()
      try await stage.save("b")
      await stage.server.clock.advance(by: .seconds(5))
      #expect(recorder.names == ["a"])
      stage.laptop.releaseNotifications()
      try await stage.server.wait { recorder.names == ["a", "b"] }
    }
  }

  @Test func `a test can delay the notifications of a device`() async throws {
    try await withRecorder { stage, recorder in
      stage.laptop.delayNotifications(by: .seconds(40))
      let before = stage.server.clock.now
      try await stage.save("b")
      try await stage.server.wait { recorder.names == ["a", "b"] }
      #expect(before.duration(to: stage.server.clock.now) >= .seconds(40))
    }
  }

  @Test func `notifications wait for a device without a network`() async throws {
    try await withRecorder { stage, recorder in
      stage.laptop.isOnline = false
      try await stage.save("b")
      await stage.server.clock.advance(by: .seconds(200))
      #expect(recorder.names == ["a"])
      stage.laptop.isOnline = true
      try await stage.server.wait { recorder.names == ["a", "b"] }
    }
  }

  @Test func `the device that made a change gets no notification of it`() async throws {
    try await withRecorder { stage, recorder in
      try await stage.laptopDatabase.save(Stage.note("own"))
      try await stage.save("b")
      try await stage.server.wait { recorder.names.count >= 2 }
      #expect(recorder.names == ["a", "b"])
    }
  }
}
