import Foundation
import StratusConformance
import StratusDomain
import StratusWire
import Testing

@testable import StratusAssets

/// A bucket outside this process. `scripts/with-radosgw` names it in the environment.
enum S3Storage {
  static let variable = "STRATUS_TEST_S3"
  static var isThere: Bool { ProcessInfo.processInfo.environment[variable] != nil }

  /// Returns a place in the bucket that no other test uses.
  static func place() throws -> S3Location {
    let text = ProcessInfo.processInfo.environment[variable] ?? ""
    let parts = text.split(separator: "?", maxSplits: 1)
    let query = parts.count > 1 ? "?\(parts[1])" : ""
    return try S3Location("\(parts.first ?? "")/tests-\(UUID().uuidString)\(query)")
  }

  static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  static func client(
    _ place: S3Location,
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> S3Client {
    S3Client(
      location: place, credentials: S3CredentialSource(environment: environment),
      now: { now() }, chance: { 0 })
  }
}

/// Shows the conformance suite the time that it expects, because the storage has its own clock.
private struct StoreWithFixedTime: AssetStore {
  let store: S3AssetStore

  func open(
    upload id: String, at address: StoreAddress, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload {
    try await store.open(upload: id, at: address, fromNothing: fromNothing)
  }

  func status(
    ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) -> AssetUploadStatus {
    var status = try await store.status(ofUpload: id, at: address)
    if status.touched != nil { status.touched = AssetStoreConformance.now }
    return status
  }

  func note(
    _ bytes: [UInt8], ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) {
    try await store.note(bytes, ofUpload: id, at: address)
  }

  func discardUploads(
    at address: StoreAddress, untouchedSince time: Int64
  ) async throws(ServerError) {
    try await store.discardUploads(at: address, untouchedSince: time)
  }

  func open(
    file: String, at address: StoreAddress
  ) async throws(ServerError) -> (any AssetFile)? {
    try await store.open(file: file, at: address)
  }

  func remove(file: String, at address: StoreAddress) async throws(ServerError) {
    try await store.remove(file: file, at: address)
  }

  func files(
    at address: StoreAddress, after name: String?, limit: Int
  ) async throws(ServerError) -> [AssetFileEntry] {
    var entries = try await store.files(at: address, after: name, limit: limit)
    for index in entries.indices { entries[index].finished = AssetStoreConformance.now }
    return entries
  }
}

/// Tests of the asset store in a real storage such as Ceph's radosgw. Without the variable
/// `STRATUS_TEST_S3`, they are skipped.
@Suite(.serialized, .enabled(if: S3Storage.isThere)) struct S3StorageTests {
  /// The smallest part that S3 accepts.
  private static let partBytes = 5_242_880

  /// Runs a body with two stores at the same place. They play two processes. Afterwards removes all
  /// objects of this place.
  private static func withStores(
    _ body: (_ bucket: S3Bucket, S3AssetStore, S3AssetStore) async throws -> Void
  ) async throws {
    let place = try S3Storage.place()
    let (client, otherClient) = (S3Storage.client(place), S3Storage.client(place))
    let bucket = S3Bucket(client: client)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(bucket, store(client), store(otherClient)))
    } catch { result = .failure(error) }
    try? await removeAll(bucket)
    await client.close()
    await otherClient.close()
    try result.get()
  }

  private static func store(_ client: S3Client) -> S3AssetStore {
    S3AssetStore(
      client: client, now: { S3Storage.now() }, makeName: { UUID().uuidString },
      partBytes: partBytes)
  }

  private static func removeAll(_ bucket: S3Bucket) async throws {
    for upload in try await unfinished(bucket) { try await bucket.abort(upload.id, upload.key) }
    var keys = try await keys(bucket)
    while !keys.isEmpty {
      for key in keys { try await bucket.delete(key) }
      keys = try await Self.keys(bucket)
    }
  }

  private static func unfinished(_ bucket: S3Bucket) async throws -> [S3Bucket.Unfinished] {
    try await bucket.unfinished(prefix: bucket.client.location.key(""), after: nil)
  }

  /// The first keys at the place of the test.
  private static func keys(_ bucket: S3Bucket) async throws -> [String] {
    try await bucket.list(
      prefix: bucket.client.location.key(""), after: nil, limit: S3Bucket.pageMax
    ).map(\.key)
  }

  @Test(arguments: AssetStoreConformance.checks)
  func `an asset store in a real S3 passes the conformance suite`(
    _ check: AssetStoreConformance.Check
  ) async throws {
    try await Self.withStores { _, store, _ in
      try await check.run { StoreWithFixedTime(store: store) }
    }
  }

  @Test(arguments: AssetStoreConformance.ownerChecks)
  func `the files in a real S3 belong to one installation`(
    _ check: AssetStoreConformance.Check
  ) async throws {
    try await Self.withStores { _, store, _ in try await check.run { store } }
  }

  @Test func `the times of files in a real S3 are read`() async throws {
    try await Self.withStores { _, store, _ in
      let upload = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await upload.append([1])
      _ = try await upload.finish(as: "00000001")
      let files = try await store.files(at: S3Sample.address, after: nil, limit: 10)
      let finished = try #require(files.first?.finished)
      #expect(abs(S3Storage.now() - finished) < 600_000)
    }
  }

  /// The test does not close the first upload, because a killed process closes nothing.
  @Test func `in a real S3, another process continues an upload after its last complete part`()
    async throws
  {
    try await Self.withStores { bucket, killed, next in
      let bytes = S3Sample.bytes(5 * Self.partBytes / 2)
      let old = try await killed.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await old.append(bytes)
      let upload = try await next.open(upload: "upload-1", at: S3Sample.address, fromNothing: false)
      #expect(upload.received == Int64(2 * Self.partBytes))
      try await upload.append(Array(bytes[(2 * Self.partBytes)...]))
      let whole = try await upload.finish(as: "00000001")
      #expect(S3Signature.hex(whole.checksum) == S3Signature.hash(bytes))
      #expect(try await S3Sample.read("00000001", next) == bytes)
      #expect(try await Self.keys(bucket).count == 1)
      #expect(try await Self.unfinished(bucket).isEmpty)
    }
  }

  @Test func `in a real S3, a process loses an upload that another process has begun again`()
    async throws
  {
    try await Self.withStores { _, first, next in
      let old = try await first.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await old.append(S3Sample.bytes(2 * Self.partBytes))
      let new = try await next.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await new.append([1, 2, 3])
      let lost = await S3Sample.failure { () throws(ServerError) in
        _ = try await old.finish(as: "00000002")
      }
      #expect(lost?.code == .conflict)
      _ = try await new.finish(as: "00000001")
      #expect(try await S3Sample.read("00000001", next) == [1, 2, 3])
      #expect(try await S3Sample.read("00000002", next) == nil)
    }
  }

  @Test func `the sweep removes the parts of an unfinished upload from a real S3`() async throws {
    try await Self.withStores { bucket, killed, next in
      let upload = try await killed.open(
        upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await upload.append(S3Sample.bytes(Self.partBytes + 1))
      #expect(try await Self.unfinished(bucket).count == 1)
      try await next.discardUploads(at: S3Sample.address, untouchedSince: 0)
      #expect(try await Self.unfinished(bucket).count == 1)
      try await next.discardUploads(at: S3Sample.address, untouchedSince: .max)
      #expect(try await Self.unfinished(bucket).isEmpty)
      #expect(try await Self.keys(bucket).isEmpty)
    }
  }

  @Test func `a real S3 accepts presigned URLs`() async throws {
    try await Self.withStores { _, store, _ in
      let upload = try await store.open(upload: "upload-1", at: S3Sample.address, fromNothing: true)
      try await upload.append([1, 2, 3])
      _ = try await upload.finish(as: "00000001")
      let now = S3Storage.now()
      let url = try #require(
        store.downloadURL(
          ofFile: "00000001", at: S3Sample.address, from: now - 3_600_000, until: now + 3_600_000))
      let answer = try await S3Sample.fetch(url)
      #expect(answer.body == [1, 2, 3])
      #expect(answer.headers["content-type"] == "application/octet-stream")
      #expect(answer.headers["content-disposition"] == "attachment")
      let changed = try await S3Sample.fetch(url.replacing("=attachment&", with: "=inline&"))
      #expect(changed.status == 403)
      let expired = try #require(
        store.downloadURL(
          ofFile: "00000001", at: S3Sample.address, from: now - 7_200_000, until: now - 3_600_000))
      #expect(try await S3Sample.fetch(expired).status == 403)
    }
  }

  @Test func `a real S3 refuses a wrong secret`() async throws {
    var environment = ProcessInfo.processInfo.environment
    environment["AWS_SECRET_ACCESS_KEY"] = "wrong"
    let client = S3Storage.client(try S3Storage.place(), environment)
    let store = Self.store(client)
    let refused = await S3Sample.failure { () throws(ServerError) in try await store.check() }
    #expect(refused?.code == .internalError)
    await client.close()
  }
}
