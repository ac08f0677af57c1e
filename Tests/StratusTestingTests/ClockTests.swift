import CloudKit
import StratusTesting
import Synchronization
import Testing

@Suite struct `The clock of a test` {
  private final class Woken: Sendable {
    private let seconds = Mutex<[Int]>([])

    func note(_ sleeper: Int) { seconds.withLock { $0.append(sleeper) } }
    var all: [Int] { seconds.withLock { $0 } }
  }

  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  @Test func `the test clock moves only when it is advanced`() async {
    let clock = TestClock(at: Self.start)
    #expect(clock.date == Self.start)
    await clock.advance(by: .seconds(90))
    #expect(clock.date == Self.start.addingTimeInterval(90))
    #expect(clock.now == TestClock.Instant(offset: .seconds(90)))
  }

  @Test func `the test clock wakes sleepers in the order of their wake times`() async throws {
    let clock = TestClock()
    let woken = Woken()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seconds in [30, 10, 20] {
        group.addTask {
          try await clock.sleep(for: .seconds(seconds))
          woken.note(seconds)
        }
      }
      while clock.sleepersCount < 3 { await Task.yield() }
      await clock.advance(by: .seconds(9))
      #expect(woken.all == [])
      await clock.advance(by: .seconds(60))
      try await group.waitForAll()
    }
    #expect(woken.all == [10, 20, 30])
  }

  @Test func `the test clock removes a cancelled sleeper`() async throws {
    let clock = TestClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    while clock.sleepersCount < 1 { await Task.yield() }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.nextDeadline == nil)
  }

  @Test func `the test clock sets the dates of records`() async throws {
    let server = try await TestServer(clock: TestClock(at: Self.start))
    let phone = try await server.account("alice@example.com").device("phone")
    let database = phone.container(Stage.containerID).privateCloudDatabase
    let record = try await database.save(CKRecord(recordType: "Note"))
    #expect(record.creationDate == Self.start)
    await server.clock.advance(by: .seconds(3_600))
    record["text"] = "later"
    let later = try await database.save(record)
    #expect(later.creationDate == Self.start)
    #expect(later.modificationDate == Self.start.addingTimeInterval(3_600))
    await server.stop()
  }

  @Test func `the test clock never jumps when the test forbids it`() async throws {
    try await withStage { stage in
      stage.server.clock.jumpMax = .zero
      stage.phone.disturb(
        next: .fetchRecords, by: .answers(status: 503, retryAfterSeconds: 2))
      let fetch = Task { try await stage.fetch() }
      while stage.server.clock.nextDeadline == nil { await Task.yield() }
      #expect(stage.phone.requestsCount(.fetchRecords) == 1)
      await stage.server.clock.advance(by: .seconds(2))
      try await fetch.value
      #expect(stage.phone.requestsCount(.fetchRecords) == 2)
    }
  }

  @Test func `a test stops waiting for a condition that never becomes true`() async throws {
    try await withStage { stage in
      await #expect(throws: TestTimeout.self) {
        try await stage.server.wait(upTo: .seconds(1)) { false }
      }
    }
  }
}

@Suite struct `The server of a test` {
  /// The test measures five servers and uses the fastest one. The first server of a process creates
  /// the tables that later servers copy, and a busy machine may delay any server.
  @Test func `a test server starts in less than 50 ms`() async throws {
    var fastest = Duration.seconds(60)
    for _ in 1...5 {
      let start = ContinuousClock.now
      let server = try await TestServer()
      fastest = min(fastest, ContinuousClock.now - start)
      await server.stop()
    }
    #expect(fastest < .milliseconds(50))
  }

  @Test
  func `devices of one account share data, and other accounts have no access to it`() async throws {
    try await withStage { stage in
      _ = try await stage.laptopDatabase.record(for: Stage.recordID("first"))
      let bob = try await stage.server.account("bob@example.com").device("phone")
      let theirs = bob.container(Stage.containerID).privateCloudDatabase
      let error = await failure { _ = try await theirs.record(for: Stage.recordID("first")) }
      #expect(error?.code == .zoneNotFound)
    }
  }

  @Test
  func `a test server serves the public database to a device without a signed-in user`()
    async throws
  {
    try await withStage { stage in
      try await stage.publicDatabase.save(CKRecord(recordType: "Post"))
      let container = stage.server.device("kiosk").container(Stage.containerID)
      #expect(try await container.accountStatus() == .noAccount)
      let posts = try await container.publicCloudDatabase.records(
        matching: CKQuery(recordType: "Post", predicate: NSPredicate(value: true)))
      #expect(posts.matchResults.count == 1)
    }
  }

  @Test func `a relaunched app gets a new container on the same device`() async throws {
    try await withStage { stage in
      let first = stage.phone.container(Stage.containerID)
      #expect(stage.phone.container(Stage.containerID) === first)
      stage.phone.relaunch()
      #expect(stage.phone.container(Stage.containerID) !== first)
      try await stage.fetch()
    }
  }

  @Test func `the devices of an account share its encryption keys`() async throws {
    try await withStage { stage in
      let secret = Stage.note("secret")
      secret.encryptedValues["pin"] = "1234"
      try await stage.database.save(secret)
      let found = try await stage.laptopDatabase.record(for: Stage.recordID("secret"))
      #expect(found.encryptedValues["pin"] == "1234")
    }
  }

  @Test func `a test server stores files`() async throws {
    try await withStage { stage in
      let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "stratus-carries-\(ProcessInfo.processInfo.processIdentifier)")
      try Data("contents".utf8).write(to: url)
      defer { try? FileManager.default.removeItem(at: url) }
      let record = Stage.note("file")
      record["file"] = CKAsset(fileURL: url)
      try await stage.database.save(record)
      let found = try await stage.laptopDatabase.record(for: Stage.recordID("file"))
      let file = try #require((found["file"] as? CKAsset)?.fileURL)
      #expect(try Data(contentsOf: file) == Data("contents".utf8))
    }
  }

  @Test func `a test server keeps its data in a folder for the next server`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "stratus-keeps-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var server = try await TestServer(folder: folder)
    var phone = try await server.account("alice@example.com").device("phone")
    await server.clock.advance(by: .seconds(3_600))
    let record = try await phone.container(Stage.containerID).privateCloudDatabase.save(
      CKRecord(recordType: "Note"))
    let created = try #require(record.creationDate)
    #expect(abs(created.timeIntervalSince(server.clock.date)) < 0.01)
    await server.stop()
    server = try await TestServer(folder: folder)
    phone = try await server.account("alice@example.com").device("phone")
    _ = try await phone.container(Stage.containerID).privateCloudDatabase.record(
      for: record.recordID)
    await server.stop()
  }
}
