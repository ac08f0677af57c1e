import CloudKit
import StratusTransport
import Testing

@Suite struct `A lost answer` {
  @Test
  func `a save whose answer is lost gives an error, because the server may have saved the record`()
    async throws
  {
    try await withCloud { cloud in
      let network = cloud.network([("records/modify", .answerIsLost)])
      let database = try await cloud.zone(by: network)
      let record = note("a", title: "x")
      await expect(.serverResponseLost) { try await database.save(record) }
      #expect(network.requests("records/modify").count == 1)
      #expect(record.recordChangeTag == nil)
      #expect(try await database.record(for: id("a"))["title"] as? String == "x")
      await expect(.serverRecordChanged) { try await database.save(record) }
    }
  }

  @Test
  func `after a lost answer, the client repeats a save that compares no change tag`() async throws {
    try await withCloud { cloud in
      let network = cloud.network([("records/modify", .answerIsLost)])
      let database = try await cloud.zone(by: network)
      let (results, _) = try await database.modifyRecords(
        saving: [note("a", title: "x")], deleting: [], savePolicy: .changedKeys)
      #expect(try results[id("a")]?.get().recordChangeTag != nil)
      #expect(network.requests("records/modify").count == 2)
    }
  }

  @Test func `after a lost answer, the client repeats a zone's creation but not a zone's deletion`()
    async throws
  {
    try await withCloud { cloud in
      let network = cloud.network([("zones/modify", .answerIsLost)])
      let database = try await cloud.device(by: network).privateCloudDatabase
      #expect(try await database.save(CKRecordZone(zoneID: zoneZ)).zoneID == zoneZ)
      #expect(network.requests("zones/modify").count == 2)
      let other = cloud.network([("zones/modify", .answerIsLost)])
      let there = try await cloud.device(by: other).privateCloudDatabase
      await expect(.serverResponseLost) { try await there.deleteRecordZone(withID: zoneZ) }
      await expect(.zoneNotFound) { try await database.recordZone(for: zoneZ) }
    }
  }

  @Test func `after a lost answer, the client repeats a record's deletion or fetch`() async throws {
    try await withCloud { cloud in
      let network = cloud.network([
        ("records/lookup", .answerIsLost), ("records/modify", .answerIsLost),
      ])
      try await cloud.zone().saveNotes(["a"])
      let database = try await cloud.zone(by: network)
      #expect(try await database.record(for: id("a")).recordID == id("a"))
      try await database.deleteRecord(withID: id("a"))
      #expect(network.requests("records/lookup").count == 2)
      #expect(network.requests("records/modify").count == 2)
    }
  }
}

@Suite struct `A server that is temporarily unavailable` {
  private let busy = Network.Fate.isAnswered(
    status: 503, headers: ["retry-after": "2"],
    body: """
      {"uuid":"U","serverErrorCode":"TRY_AGAIN_LATER","reason":"busy","retryAfter":2}
      """)

  @Test func `an operation repeats its request after a short retry delay`() async throws {
    try await withCloud { cloud in
      let clock = FakeClock()
      let network = cloud.network([("records/modify", busy)])
      let database = try await cloud.zone(by: network, clock: clock)
      try await database.save(note("a"))
      #expect(clock.sleeps == [2])
      #expect(network.requests("records/modify").count == 2)
    }
  }

  @Test func `an operation fails with the retry delay if the delay is long`() async throws {
    try await withCloud { cloud in
      let clock = FakeClock()
      let fate = Network.Fate.isAnswered(
        status: 503, headers: ["retry-after": "30"], body: "<html>busy</html>")
      let network = cloud.network([("records/modify", fate)])
      let database = try await cloud.zone(by: network, clock: clock)
      let error = await expect(.serviceUnavailable) { try await database.save(note("a")) }
      #expect(error?.retryAfterSeconds == 30)
      #expect(clock.sleeps.isEmpty)
    }
  }

  @Test
  func `an operation with the quality of service utility waits until a long retry delay is over`()
    async throws
  {
    try await withCloud { cloud in
      let clock = FakeClock()
      let fate = Network.Fate.isAnswered(
        status: 429, headers: [:],
        body: #"{"uuid":"U","serverErrorCode":"THROTTLED","reason":"slow","retryAfter":30}"#)
      let network = cloud.network([
        ("records/modify", fate), ("records/modify", .fails(.notConnected)),
      ])
      let database = try await cloud.zone(by: network, clock: clock)
      let operation = CKModifyRecordsOperation(
        recordsToSave: [note("a")], recordIDsToDelete: nil)
      operation.qualityOfService = .utility
      let journal = Journal()
      operation.modifyRecordsResultBlock = { journal.note("end \(code($0) == nil)") }
      await database.run(operation)
      #expect(journal.all == ["end true"])
      #expect(clock.sleeps.first == 30)
      #expect(network.requests("records/modify").count == 3)
    }
  }

  @Test func `a throttled operation fails with requestRateLimited`() async throws {
    try await withCloud { cloud in
      let fate = Network.Fate.isAnswered(
        status: 429, headers: [:],
        body: #"{"uuid":"U","serverErrorCode":"THROTTLED","reason":"slow","retryAfter":30}"#)
      let network = cloud.network([("records/modify", fate)])
      let database = try await cloud.zone(by: network)
      let error = await expect(.requestRateLimited) { try await database.save(note("a")) }
      #expect(error?.retryAfterSeconds == 30)
    }
  }

  @Test(arguments: [
    (NetworkFailure.notConnected, CKError.Code.networkUnavailable),
    (.lostBeforeSending, .networkFailure), (.timedOut, .networkFailure),
  ]) func `an operation fails with a network error if it cannot reach the server`(
    _ failure: NetworkFailure, _ expected: CKError.Code
  ) async throws {
    try await withCloud { cloud in
      let network = cloud.network([("records/modify", .fails(failure))])
      let database = try await cloud.zone(by: network)
      await expect(expected) { try await database.save(note("a")) }
      try await database.save(note("a"))
    }
  }
}
