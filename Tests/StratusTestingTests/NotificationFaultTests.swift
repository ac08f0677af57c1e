import CloudKit
import StratusTesting
import Synchronization
import Testing

@Suite struct `Faulty notifications` {
  /// The record names of the notifications that a device has received.
  private final class Ear: Sendable {
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

  /// Runs a body while the laptop is subscribed to the notes of the phone.
  private func withEar(_ body: (Stage, Ear) async throws -> Void) async throws {
    try await withStage { stage in
      try await stage.laptopDatabase.save(
        CKQuerySubscription(
          recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "notes",
          options: [.firesOnRecordCreation]))
      let ear = Ear()
      let task = ear.listen(to: stage.laptop.container(Stage.containerID))
      defer { task.cancel() }
      try await stage.server.wait { stage.laptop.requestsCount(.notifications) > 0 }
      try await stage.save("a")
      try await stage.server.wait { ear.names == ["a"] }
      try await body(stage, ear)
    }
  }

  @Test func `can be lost`() async throws {
    try await withEar { stage, ear in
      stage.laptop.dropNotifications()
      try await stage.save("b")
      await stage.server.clock.advance(by: .seconds(1))
      // A second stream does not deliver it either.
      stage.laptop.isOnline = false
      stage.laptop.isOnline = true
      try await stage.save("c")
      try await stage.server.wait { ear.names.contains("c") }
      #expect(ear.names == ["a", "c"])
    }
  }

  @Test func `can be lost in one container only`() async throws {
    try await withStage { stage in
      // Both containers start to count their notifications at the same number.
      let containerIDs = [Stage.containerID, "iCloud.com.example.Other"]
      let ears = [Ear(), Ear()]
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
        tasks.append(ears[place].listen(to: container))
      }
      try await stage.server.wait { stage.laptop.requestsCount(.notifications) > 1 }
      for place in [0, 1] {
        try await save("a", in: place)
        try await stage.server.wait { ears[place].names == ["a"] }
      }
      stage.laptop.dropNotifications()
      for place in [0, 1] { try await save("b", in: place) }
      try await stage.server.wait { ears[1].names == ["a", "b"] }
      #expect(ears[0].names == ["a"])
    }
  }

  @Test func `can arrive twice`() async throws {
    try await withEar { stage, ear in
      stage.laptop.duplicateNotifications()
      try await stage.save("b")
      try await stage.save("c")
      try await stage.server.wait { ear.names.count >= 4 }
      #expect(ear.names == ["a", "b", "b", "c"])
    }
  }

  @Test func `can be held until the test releases them`() async throws {
    try await withEar { stage, ear in
      stage.laptop.holdNotifications()
      try await stage.save("b")
      await stage.server.clock.advance(by: .seconds(5))
      #expect(ear.names == ["a"])
      stage.laptop.releaseNotifications()
      try await stage.server.wait { ear.names == ["a", "b"] }
    }
  }

  @Test func `can be late`() async throws {
    try await withEar { stage, ear in
      stage.laptop.delayNotifications(by: .seconds(40))
      let before = stage.server.clock.now
      try await stage.save("b")
      try await stage.server.wait { ear.names == ["a", "b"] }
      #expect(before.duration(to: stage.server.clock.now) >= .seconds(40))
    }
  }

  @Test func `wait for a device without a network`() async throws {
    try await withEar { stage, ear in
      stage.laptop.isOnline = false
      try await stage.save("b")
      await stage.server.clock.advance(by: .seconds(200))
      #expect(ear.names == ["a"])
      stage.laptop.isOnline = true
      try await stage.server.wait { ear.names == ["a", "b"] }
    }
  }

  @Test func `do not go to the device that made the change`() async throws {
    try await withEar { stage, ear in
      try await stage.laptopDatabase.save(Stage.note("own"))
      try await stage.save("b")
      try await stage.server.wait { ear.names.count >= 2 }
      #expect(ear.names == ["a", "b"])
    }
  }
}
