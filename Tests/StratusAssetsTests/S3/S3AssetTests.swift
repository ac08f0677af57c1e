import Foundation
import S3Server
import StratusConformance
import StratusDomain
import StratusWire
import Synchronization
import Testing

@testable import StratusAssets

/// Tests of the asset store in S3: the conformance suite of all asset stores, and the tests below.
/// The tests' own S3 server checks every signature.
@Suite struct S3Assets {
  private static let root = "prefix/iCloud.org.example/development.assets/"
  private static let megabyte = 1_048_576

  private static func settings() -> S3Server.Settings {
    var settings = S3Server.Settings(now: { AssetStoreConformance.now })
    settings.partBytesMin = megabyte
    return settings
  }

  private static func withStore(
    _ settings: S3Server.Settings = settings(), partBytes: Int = megabyte,
    waitingBytesMax: Int = 1 << 28, credentials: [String: String]? = nil,
    _ body: @escaping @Sendable (S3Server, S3AssetStore) async throws -> Void
  ) async throws {
    let environment =
      credentials ?? [
        "AWS_ACCESS_KEY_ID": settings.accessKeyID,
        "AWS_SECRET_ACCESS_KEY": settings.secretAccessKey,
      ]
    try await S3Server.running(settings) { server in
      let client = try Self.client(server, environment)
      let store = S3AssetStore(
        client: client, now: { AssetStoreConformance.now }, makeName: { UUID().uuidString },
        partBytes: partBytes,
        waitingBytesMax: waitingBytesMax)
      let result: Result<Void, any Error>
      do { result = .success(try await body(server, store)) } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  private static func client(
    _ server: S3Server, _ environment: [String: String]
  ) throws -> S3Client {
    S3Client(
      location: try S3Location("s3://assets/prefix?endpoint=\(server.url)"),
      credentials: S3CredentialSource(environment: environment),
      now: { AssetStoreConformance.now }, chance: { 0 }, pause: { _ in })
  }

  /// Runs a body with a second asset store on the same bucket, which plays another process.
  private static func withSecondStore(
    _ server: S3Server, _ body: (S3AssetStore) async throws -> Void
  ) async throws {
    let client = try client(
      server,
      [
        "AWS_ACCESS_KEY_ID": settings().accessKeyID,
        "AWS_SECRET_ACCESS_KEY": settings().secretAccessKey,
      ])
    let store = S3AssetStore(
      client: client, now: { AssetStoreConformance.now }, makeName: { UUID().uuidString },
      partBytes: megabyte)
    let result: Result<Void, any Error>
    do { result = .success(try await body(store)) } catch { result = .failure(error) }
    await client.close()
    try result.get()
  }

  @Test(arguments: AssetStoreConformance.checks)
  func `an asset store in S3 passes the conformance suite`(
    _ check: AssetStoreConformance.Check
  ) async throws {
    try await Self.withStore { _, store in try await check.run { store } }
  }

  /// Some storages ignore the condition of a write, or refuse it.
  @Test(arguments: AssetStoreConformance.ownerChecks, S3Server.Conditions.allCases)
  func `the files in S3 belong to one installation`(
    _ check: AssetStoreConformance.Check, _ conditions: S3Server.Conditions
  ) async throws {
    var settings = Self.settings()
    settings.conditions = conditions
    try await Self.withStore(settings) { server, store in
      try await check.run { store }
      #expect(server.keys == ["prefix/stratus-owner"])
    }
  }

  /// Both processes have found no mark before they write.
  @Test(arguments: S3Server.Conditions.allCases)
  func `of two installations that claim a bucket at the same time, only one removes files`(
    conditions: S3Server.Conditions
  ) async throws {
    var settings = Self.settings()
    settings.conditions = conditions
    try await Self.withStore(settings) { _, store in
      let mark = try #require(store.ownerMark)
      for id in ["one", "two"] { try await mark.write(id, replaces: false) }
      var owners: [String] = []
      for id in ["one", "two"] {
        let owner = AssetOwner(mark, installationID: id)
        let failure = await S3Sample.failure { () throws(ServerError) in try await owner.require() }
        if failure == nil { owners.append(id) }
      }
      #expect(owners == (conditions == .kept ? ["one"] : ["two"]))
    }
  }

  /// The retried request finds the object that the lost request has written.
  @Test func `a claim whose answer is lost succeeds`() async throws {
    try await Self.withStore { server, store in
      let isFirst = Mutex(true)
      server.setFaults { request in
        guard request.method == "PUT" else { return nil }
        return isFirst.withLock { isFirst -> S3Server.Fault? in
          defer { isFirst = false }
          return isFirst ? .lostAnswer(503, "SlowDown") : nil
        }
      }
      let owner = AssetOwner(try #require(store.ownerMark), installationID: "one")
      try await owner.claim()
      #expect(server.requests.filter { $0.method == "PUT" }.count == 2)
    }
  }

  @Test func `a small file is written by one PUT request`() async throws {
    try await Self.withStore(partBytes: S3AssetStore.partBytes) { server, store in
      let upload = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await upload.append(S3Sample.bytes(100_000))
      _ = try await upload.finish(as: "00000001")
      #expect(server.requests.map(\.method) == ["GET", "PUT"])
      #expect(server.keys == [Self.root + "files/00000001"])
    }
  }

  @Test func `a finished multipart upload leaves only its file`() async throws {
    try await Self.withStore { server, store in
      let bytes = S3Sample.bytes(5 * Self.megabyte / 2)
      let upload = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await upload.append(bytes)
      #expect(server.unfinishedCount == 1)
      #expect(try await upload.finish(as: "00000001").size == Int64(bytes.count))
      #expect(server.keys == [Self.root + "files/00000001"])
      #expect(server.unfinishedCount == 0)
      #expect(try await S3Sample.read("00000001", store) == bytes)
    }
  }

  /// The test does not close the first upload, because a killed process closes nothing.
  @Test func `another process continues an upload after its last complete part`() async throws {
    try await Self.withStore { server, store in
      let bytes = S3Sample.bytes(5 * Self.megabyte / 2)
      let killed = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await killed.append(bytes)
      try await Self.withSecondStore(server) { next in
        let status = try await next.status(ofUpload: "upload-1", at: S3Sample.address)
        #expect(status.received == Int64(2 * Self.megabyte))
        let upload = try await next.open(
          upload: "upload-1", at: S3Sample.address, fromNothing: false)
        #expect(upload.received == Int64(2 * Self.megabyte))
        try await upload.append(Array(bytes[(2 * Self.megabyte)...]))
        let whole = try await upload.finish(as: "00000001")
        #expect(S3Signature.hex(whole.checksum) == S3Signature.hash(bytes))
        #expect(try await S3Sample.read("00000001", next) == bytes)
      }
      #expect(server.keys == [Self.root + "files/00000001"])
    }
  }

  @Test func `a process loses an upload that another process has opened`() async throws {
    try await Self.withStore { server, store in
      let bytes = S3Sample.bytes(3 * Self.megabyte / 2)
      let old = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await old.append(bytes)
      try await Self.withSecondStore(server) { next in
        let new = try await next.open(upload: "upload-1", at: S3Sample.address, fromNothing: false)
        let lost = await S3Sample.failure { () throws(ServerError) in
          _ = try await old.finish(as: "00000002")
        }
        #expect(lost?.code == .conflict)
        await old.close()
        try await new.append(Array(bytes[Self.megabyte...]))
        _ = try await new.finish(as: "00000001")
        #expect(try await S3Sample.read("00000001", next) == bytes)
        #expect(try await S3Sample.read("00000002", next) == nil)
      }
    }
  }

  @Test func `a process cannot finish an upload that another process has begun again`() async throws
  {
    try await Self.withStore { server, store in
      let old = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await old.append(S3Sample.bytes(2 * Self.megabyte))
      try await Self.withSecondStore(server) { next in
        let new = try await next.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
        try await new.append([1, 2, 3])
        let lost = await S3Sample.failure { () throws(ServerError) in
          _ = try await old.finish(as: "00000002")
        }
        #expect(lost?.code == .conflict)
        _ = try await new.finish(as: "00000001")
        #expect(try await S3Sample.read("00000001", next) == [1, 2, 3])
      }
    }
  }

  /// The store must not read the stored parts again to compute the checksum.
  @Test func `a process keeps the checksum of an upload in memory between its pieces`() async throws
  {
    try await Self.withStore { server, store in
      let bytes = S3Sample.bytes(2 * Self.megabyte)
      for start in stride(from: 0, to: bytes.count, by: Self.megabyte / 2) {
        let upload = try await store.open(
          upload: "upload-1", at: S3Sample.address, fromNothing: start == 0)
        #expect(upload.received == Int64(start))
        try await upload.append(Array(bytes[start..<(start + Self.megabyte / 2)]))
        await upload.close()
      }
      let before = server.requests.count
      let upload = try await store.open(
        upload: "upload-1", at: S3Sample.address, fromNothing: false)
      let whole = try await upload.finish(as: "00000001")
      #expect(S3Signature.hex(whole.checksum) == S3Signature.hash(bytes))
      let reads = server.requests.dropFirst(before).filter { $0.method == "GET" }
      #expect(reads.allSatisfy { $0.key.hasSuffix(".state") })
    }
  }

  @Test func `the sweep removes parts that a crash has left`() async throws {
    try await Self.withStore { server, store in
      // S3 refuses the state of the upload, as if the process crashed before it stored the state.
      server.setFaults { request in
        guard request.method == "PUT", request.key.hasSuffix(".state") else { return nil }
        return .refusal(403, "AccessDenied")
      }
      let upload = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      let failed = await S3Sample.failure { () throws(ServerError) in
        try await upload.append(S3Sample.bytes(Self.megabyte))
      }
      #expect(failed?.code == .internalError)
      #expect(server.unfinishedCount == 1)
      server.setFaults(nil)
      try await Self.withSecondStore(server) { next in
        try await next.discardUploads(
          at: S3Sample.address, untouchedSince: AssetStoreConformance.now)
        #expect(server.unfinishedCount == 1)
        try await next.discardUploads(at: S3Sample.address, untouchedSince: .max)
        #expect(server.unfinishedCount == 0)
      }
    }
  }

  @Test func `an upload can be finished again after S3 refused the file's final copy`() async throws
  {
    try await Self.withStore { server, store in
      let bytes = S3Sample.bytes(3 * Self.megabyte / 2)
      server.setFaults { request in
        request.method == "PUT" && request.key.contains("/files/")
          ? .refusal(503, "SlowDown") : nil
      }
      let upload = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await upload.append(bytes)
      let failed = await S3Sample.failure { () throws(ServerError) in
        _ = try await upload.finish(as: "00000001")
      }
      #expect(failed?.code == .tryAgainLater)
      await upload.close()
      server.setFaults(nil)
      let again = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: false)
      #expect(again.received == Int64(bytes.count))
      let whole = try await again.finish(as: "00000002")
      #expect(S3Signature.hex(whole.checksum) == S3Signature.hash(bytes))
      #expect(try await S3Sample.read("00000002", store) == bytes)
      #expect(server.keys == [Self.root + "files/00000002"])
    }
  }

  @Test func `a large file is read by few requests, because the ranges that are read grow`()
    async throws
  {
    try await Self.withStore { server, store in
      let bytes = S3Sample.bytes(4 * Self.megabyte)
      let upload = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await upload.append(bytes)
      _ = try await upload.finish(as: "00000001")
      let before = server.requests.count
      let file = try #require(try await store.open(file: "00000001", at: S3Sample.address))
      for offset in stride(from: 0, to: bytes.count, by: 262_144) {
        let piece = try await file.read(at: Int64(offset), count: 262_144)
        #expect(piece == Array(bytes[offset..<(offset + 262_144)]))
      }
      #expect(server.requests.count - before == 6)
    }
  }
}
