import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

/// The retries and time limits of each quality of service.
@Suite struct `The quality of service` {
  private struct Scene {
    let server = FakeServer()
    let clock = FakeClock()

    /// Fetches a record. Returns the error code of the fetch.
    func fetch(_ quality: QualityOfService?, resource: TimeInterval? = nil) async -> CKError.Code? {
      let container = CKContainer(
        identifier: "iCloud.org.example.App",
        settings: CKContainer.Settings(
          url: URL(string: "https://cloud.example.org"), apiToken: "api"),
        exchange: server,
        timing: Timing(
          now: { [clock] in clock.now.withLock { $0 } },
          sleep: { [clock] seconds in clock.now.withLock { $0 += seconds } }, chance: { 0 }))
      let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
      if let quality { operation.configuration.qualityOfService = quality }
      if let resource { operation.configuration.timeoutIntervalForResource = resource }
      let result = Mutex<Result<Void, any Error>?>(nil)
      operation.fetchRecordsResultBlock = { outcome in result.withLock { $0 = outcome } }
      await container.publicCloudDatabase.run(operation)
      return code(result.withLock { $0 })
    }

    var seconds: Double { clock.now.withLock { $0 } }
  }

  @Test(arguments: [
    (QualityOfService.userInteractive, -1.0), (.userInitiated, -1), (.default, 604_800),
    (.utility, 604_800), (.background, 604_800),
  ])
  func `the quality of service decides the default resource timeout`(
    quality: QualityOfService, seconds: TimeInterval
  ) {
    let configuration = CKOperation.Configuration()
    configuration.qualityOfService = quality
    #expect(configuration.timeoutIntervalForResource == seconds)
    let operation = CKOperation()
    operation.qualityOfService = quality
    #expect(operation.timeoutIntervalForResource == seconds)
    #expect(operation.timeoutIntervalForRequest == 60)
  }

  @Test(arguments: [QualityOfService.userInteractive, .userInitiated, .default, nil])
  func `a fetch fails on a network error unless its quality of service is utility or background`(
    quality: QualityOfService?
  )
    async
  {
    for failure in [NetworkFailure.notConnected, .lostBeforeSending, .timedOut] {
      let scene = Scene()
      scene.server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in throw failure }
      let expected: CKError.Code =
        failure == .notConnected ? .networkUnavailable : .networkFailure
      #expect(await scene.fetch(quality) == expected)
      #expect(scene.server.calls.count == 1)
      #expect(scene.seconds == 0)
    }
  }

  @Test(arguments: [QualityOfService.utility, .background])
  func `a fetch with the quality of service utility or background retries for a week`(
    quality: QualityOfService
  ) async {
    let scene = Scene()
    scene.server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      throw .notConnected
    }
    #expect(await scene.fetch(quality) == .networkUnavailable)
    #expect(scene.seconds <= 604_800)
    #expect(scene.seconds > 604_700)
  }

  @Test(arguments: [QualityOfService.utility, .background])
  func `a fetch stops its retries when the resource timeout that the app sets is over`(
    quality: QualityOfService
  )
    async
  {
    let scene = Scene()
    scene.server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      throw .lostBeforeSending
    }
    #expect(await scene.fetch(quality, resource: 100) == .networkFailure)
    #expect(scene.seconds <= 100)
    #expect(scene.seconds > 60)
    // The time-out of the last attempt is the remaining time.
    #expect(scene.server.calls.last.map { $0.timeoutSeconds < 60 } == true)
  }

  @Test func `a fetch retries without a time limit if the resource timeout is minus one`() async {
    let scene = Scene()
    let attempts = Journal()
    scene.server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      attempts.note("attempt")
      if attempts.all.count < 30_000 { throw .notConnected }
      return HTTPResponse(
        status: 200, body: RecordsResponse(records: [.record(stored("a"))]).jsonBytes)
    }
    #expect(await scene.fetch(.utility, resource: -1) == nil)
    #expect(scene.seconds > 604_800)
  }

  @Test func `a background fetch waits as long as the server asks, within the time limit`() async {
    let scene = Scene()
    let attempts = Journal()
    scene.server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      attempts.note("attempt")
      if attempts.all.count < 2 {
        return HTTPResponse(
          status: 429, body: refusal(.throttled, "slow", retryAfter: 3_600).jsonBytes)
      }
      return HTTPResponse(
        status: 200, body: RecordsResponse(records: [.record(stored("a"))]).jsonBytes)
    }
    #expect(await scene.fetch(.background) == nil)
    #expect(scene.seconds == 3_600)
    let late = Scene()
    late.server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      HTTPResponse(
        status: 429, body: refusal(.throttled, "slow", retryAfter: 3_600).jsonBytes)
    }
    #expect(await late.fetch(.background, resource: 3_599) == .requestRateLimited)
    #expect(late.seconds == 0)
  }

  @Test
  func `a fetch with the default quality of service fails with the retry delay and does not retry`()
    async
  {
    let server = FakeServer()
    server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      HTTPResponse(
        status: 503,
        body: refusal(.tryAgainLater, Reason.zoneBusy, retryAfter: 30).jsonBytes)
    }
    let (results, _) = await results(server)
    #expect(code(results) == .zoneBusy)
    if case .failure(let error)? = results {
      #expect((error as? CKError)?.retryAfterSeconds == 30)
    }
  }

  private func results(
    _ server: FakeServer
  ) async -> (record: Result<CKRecord, any Error>?, whole: Result<Void, any Error>?) {
    let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
    let found = Mutex<Result<CKRecord, any Error>?>(nil)
    operation.perRecordResultBlock = { _, result in found.withLock { $0 = result } }
    await server.database.run(operation)
    return (found.withLock { $0 }, nil)
  }
}
