import Foundation
import S3Server
import StratusConformance
import StratusDomain
import StratusWire
import Synchronization
import Testing

@testable import StratusAssets

/// The asset store in S3 while S3 answers with errors.
@Suite struct S3Faults {
  private static let address = StoreAddress(
    container: "iCloud.org.example", environment: .development)

  private static func withStore(
    secret: String = S3Server.Settings(now: { 0 }).secretAccessKey, skew: Int64 = 0,
    waitingBytesMax: Int = 1 << 28, bucket: String = "assets",
    _ body: @escaping @Sendable (S3Server, S3AssetStore) async throws -> Void
  ) async throws {
    var settings = S3Server.Settings(now: { AssetStoreConformance.now })
    settings.partBytesMin = 1_048_576
    let key = settings.accessKeyID
    try await S3Server.running(settings) { server in
      let client = S3Client(
        location: try S3Location("s3://\(bucket)/prefix?endpoint=\(server.url)"),
        credentials: S3CredentialSource(environment: [
          "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret,
        ]),
        now: { AssetStoreConformance.now + skew }, chance: { 0 }, pause: { _ in })
      let store = S3AssetStore(
        client: client, now: { AssetStoreConformance.now }, makeName: { UUID().uuidString },
        partBytes: 1_048_576,
        waitingBytesMax: waitingBytesMax)
      let result: Result<Void, any Error>
      do { result = .success(try await body(server, store)) } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  private static func failure(
    _ body: () async throws(ServerError) -> Void
  ) async -> ServerError? {
    do throws(ServerError) { try await body() } catch { return error }
    return nil
  }

  private static func put(
    _ bytes: [UInt8], _ store: S3AssetStore
  ) async throws(ServerError) -> WholeFile {
    let upload = try await store.open(upload: "upload-1", at: address, fromNothing: true)
    try await upload.append(bytes)
    return try await upload.finish(as: "00000001")
  }

  /// Returns a function that gives each third request a fault.
  private static func everyThird(
    _ fault: S3Server.Fault
  ) -> @Sendable (S3Server.Received) -> S3Server.Fault? {
    let count = Counter()
    return { _ in count.next() % 3 == 0 ? fault : nil }
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
      count.withLock {
        $0 += 1; return $0
      }
    }
  }

  @Test(arguments: [
    S3Server.Fault.refusal(503, "SlowDown"), .refusal(500, "InternalError"),
    .refusal(429, "TooManyRequests"), .lostAnswer(502, "BadGateway"),
  ])
  func `an upload succeeds although each third request to S3 fails`(_ fault: S3Server.Fault)
    async throws
  {
    try await Self.withStore { server, store in
      server.setFaults(Self.everyThird(fault))
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 >> 9) }
      let whole = try await Self.put(bytes, store)
      #expect(S3Signature.hex(whole.checksum) == S3Signature.hash(bytes))
      let file = try #require(try await store.open(file: "00000001", at: Self.address))
      #expect(try await file.read(at: 0, count: bytes.count) == bytes)
    }
  }

  /// S3 sends status 200 before it joins the parts, so an error can follow in the body.
  @Test func `an error in S3's answer with status 200 leads to another attempt`() async throws {
    try await Self.withStore { server, store in
      let count = Counter()
      server.setFaults { request in
        guard request.query["uploadId"] != nil, request.method == "POST", count.next() == 1 else {
          return nil
        }
        return .refusal(200, "InternalError")
      }
      let bytes = [UInt8](repeating: 7, count: 2_000_000)
      _ = try await Self.put(bytes, store)
      #expect(count.next() == 3)
      let file = try #require(try await store.open(file: "00000001", at: Self.address))
      #expect(try await file.read(at: 0, count: bytes.count) == bytes)
    }
  }

  @Test func `a file whose bytes look like an error of S3 is read as a file`() async throws {
    try await Self.withStore { _, store in
      let bytes = Array("<Error><Code>SlowDown</Code></Error>".utf8)
      _ = try await Self.put(bytes, store)
      let file = try #require(try await store.open(file: "00000001", at: Self.address))
      #expect(try await file.read(at: 0, count: 100) == bytes)
    }
  }

  @Test
  func `while S3 is overloaded, the server's error asks for a retry after five seconds`()
    async throws
  {
    try await Self.withStore { server, store in
      server.setFaults { _ in .refusal(503, "SlowDown") }
      let error = await Self.failure { () throws(ServerError) in
        _ = try await Self.put([1], store)
      }
      #expect(error?.code == .tryAgainLater)
      #expect(error?.retryAfterSeconds == 5)
      #expect(error?.reason == Reason.assetStoreLost)
      #expect(server.requests.count == S3Client.attemptsMax)
    }
  }

  @Test func `the check whether S3 can be reached ends after two attempts`() async throws {
    try await Self.withStore { server, store in
      try await store.requireAnswer(timeoutSeconds: 60)
      server.setFaults { _ in .refusal(503, "SlowDown") }
      let error = await Self.failure { () throws(ServerError) in
        try await store.requireAnswer(timeoutSeconds: 60)
      }
      #expect(error?.code == .tryAgainLater)
      #expect(server.requests.count == 1 + 2)
    }
  }

  @Test func `S3 refuses a wrong secret key, and the error does not contain the key`() async throws
  {
    try await Self.withStore(secret: "wrong-secret") { server, store in
      let error = await Self.failure { () throws(ServerError) in try await store.check() }
      #expect(error?.code == .internalError)
      #expect(error?.reason == Reason.internalError)
      #expect(error?.facts["code"] == "SignatureDoesNotMatch")
      #expect(error?.hint != nil)
      #expect(!"\(String(describing: error))".contains("wrong-secret"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `the error about a wrong clock says to set the clock`() async throws {
    try await Self.withStore(skew: 1_000_000) { _, store in
      let error = await Self.failure { () throws(ServerError) in try await store.check() }
      #expect(error?.hint == "set the clock of this machine")
    }
  }

  @Test func `the error about a missing bucket says to create the bucket`() async throws {
    try await Self.withStore(bucket: "elsewhere") { _, store in
      let error = await Self.failure { () throws(ServerError) in try await store.check() }
      #expect(error?.hint == "create the bucket")
    }
  }

  @Test func `the check of S3 at the start leaves no object in the bucket`() async throws {
    try await Self.withStore { server, store in
      try await store.check()
      #expect(server.keys.isEmpty)
    }
  }

  @Test func `the bytes of all uploads that wait in memory have a common limit`() async throws {
    try await Self.withStore(waitingBytesMax: 1_000) { _, store in
      let first = try await store.open(upload: "upload-1", at: Self.address, fromNothing: true)
      let second = try await store.open(upload: "upload-2", at: Self.address, fromNothing: true)
      try await first.append([UInt8](repeating: 1, count: 600))
      let error = await Self.failure { () throws(ServerError) in
        try await second.append([UInt8](repeating: 2, count: 600))
      }
      #expect(error?.code == .tryAgainLater)
      #expect(error?.reason == Reason.assetStoreBusy)
      _ = try await first.finish(as: "00000001")
      try await second.append([UInt8](repeating: 2, count: 600))
      await second.close()
      let again = try await store.open(upload: "upload-2", at: Self.address, fromNothing: false)
      #expect(again.received == 600)
      await again.discard()
      let third = try await store.open(upload: "upload-3", at: Self.address, fromNothing: true)
      try await third.append([UInt8](repeating: 3, count: 1_000))
    }
  }

  @Test(arguments: ["..", "a/b", "", ".hidden"])
  func `a container ID that is unsafe in an object's key is refused`(container: String)
    async throws
  {
    try await Self.withStore { server, store in
      let address = StoreAddress(container: container, environment: .development)
      let error = await Self.failure { () throws(ServerError) in
        _ = try await store.open(upload: "upload-1", at: address, fromNothing: true)
      }
      #expect(error?.code == .internalError)
      #expect(server.requests.isEmpty)
    }
  }
}
