import Foundation
import S3Server
import StratusConformance
import StratusDomain
import Synchronization
import Testing

@testable import StratusAssets

/// The URLs by which clients download files directly from S3. The tests' own S3 server checks their
/// signatures and their times.
@Suite struct S3PresignedDownloads {
  private static let hour: Int64 = 3_600_000

  /// The clock of S3.
  private final class Clock: Sendable {
    private let milliseconds = Mutex(AssetStoreConformance.now)

    var now: Int64 { milliseconds.withLock(\.self) }

    func move(bySeconds seconds: Int64) { milliseconds.withLock { $0 += seconds * 1_000 } }
  }

  /// Runs a body with a store that contains the file `00000001`.
  private static func withFile(
    _ bytes: [UInt8], option: String = "&presigned-downloads=yes", token: String? = nil,
    clock: Clock = Clock(),
    _ body: @escaping @Sendable (S3Server, S3AssetStore) async throws -> Void
  ) async throws {
    var settings = S3Server.Settings(now: { clock.now })
    settings.sessionToken = token
    var environment = [
      "AWS_ACCESS_KEY_ID": settings.accessKeyID,
      "AWS_SECRET_ACCESS_KEY": settings.secretAccessKey,
    ]
    environment["AWS_SESSION_TOKEN"] = token
    let variables = environment
    try await S3Server.running(settings) { server in
      let client = S3Client(
        location: try S3Location("s3://assets/prefix?endpoint=\(server.url)\(option)"),
        credentials: S3CredentialSource(environment: variables),
        now: { clock.now }, chance: { 0 }, pause: { _ in })
      let store = S3AssetStore(
        client: client, now: { clock.now }, makeName: { UUID().uuidString })
      let result: Result<Void, any Error>
      do {
        let upload = try await store.open(
          upload: "upload-1", at: S3Sample.address, fromNothing: true)
        try await upload.append(bytes)
        _ = try await upload.finish(as: "00000001")
        result = .success(try await body(server, store))
      } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  /// Returns the URL of the file, which is valid from an hour ago until in an hour.
  private static func url(_ store: S3AssetStore) throws -> String {
    let direct = try #require(store.directDownloads)
    return try #require(
      direct.downloadURL(
        ofFile: "00000001", at: S3Sample.address, from: AssetStoreConformance.now - hour,
        until: AssetStoreConformance.now + hour))
  }

  @Test func `a presigned URL downloads the file as an attachment of an unknown type`() async throws
  {
    let bytes = S3Sample.bytes(100_000)
    try await Self.withFile(bytes) { server, store in
      let url = try Self.url(store)
      #expect(url.hasPrefix("\(server.url)/assets/prefix/iCloud.org.example/"))
      let whole = try await S3Sample.fetch(url)
      #expect(whole.status == 200)
      #expect(whole.body == bytes)
      #expect(whole.headers["content-type"] == "application/octet-stream")
      #expect(whole.headers["content-disposition"] == "attachment")
      #expect(whole.headers["cache-control"] == "private, max-age=3600, immutable")
      let part = try await S3Sample.fetch(url, range: "bytes=10-19")
      #expect(part.status == 206)
      #expect(part.body == Array(bytes[10..<20]))
      #expect(part.headers["content-range"] == "bytes 10-19/100000")
    }
  }

  @Test func `a presigned URL is refused after its last second`() async throws {
    let clock = Clock()
    try await Self.withFile([1, 2, 3], clock: clock) { _, store in
      let url = try Self.url(store)
      clock.move(bySeconds: 3_600)
      #expect(try await S3Sample.fetch(url).body == [1, 2, 3])
      clock.move(bySeconds: 1)
      #expect(try await S3Sample.fetch(url).status == 403)
    }
  }

  @Test func `a presigned URL allows neither another request nor another file`() async throws {
    try await Self.withFile([1, 2, 3]) { server, store in
      let url = try Self.url(store)
      let changed = [
        url.replacing("/files/00000001?", with: "/files/00000002?"),
        url.replacing("=attachment&", with: "=inline&"),
        url.replacing("X-Amz-Expires=7200", with: "X-Amz-Expires=7201"),
      ]
      for other in changed {
        #expect(other != url)
        #expect(try await S3Sample.fetch(other).status == 403, "\(other)")
      }
      for method in ["PUT", "DELETE", "HEAD"] {
        #expect(try await S3Sample.fetch(url, method: method).status == 403, "\(method)")
      }
      #expect(server.keys.count == 1)
    }
  }

  @Test func `temporary credentials sign no URLs, because these would expire with them`()
    async throws
  {
    try await Self.withFile([1, 2, 3], token: "TOKEN") { _, store in
      let url = store.downloadURL(
        ofFile: "00000001", at: S3Sample.address, from: AssetStoreConformance.now,
        until: AssetStoreConformance.now + Self.hour)
      #expect(url == nil)
    }
  }

  @Test func `clients download from the server unless presigned downloads are switched on`()
    async throws
  {
    try await Self.withFile([1, 2, 3], option: "") { _, store in
      let isDirect = store.directDownloads != nil
      #expect(!isDirect)
    }
  }
}
