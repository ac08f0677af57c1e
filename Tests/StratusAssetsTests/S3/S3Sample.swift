import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StratusDomain
import StratusWire

@testable import StratusAssets

/// Values and calls that the tests of S3 share.
enum S3Sample {
  static let address = StoreAddress(container: "iCloud.org.example", environment: .development)

  /// Returns bytes that differ from their neighbours, so that a lost or doubled part is noticed.
  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  /// Returns the contents of a file, or nil if there is no such file.
  static func read(_ name: String, _ store: S3AssetStore) async throws -> [UInt8]? {
    guard let file = try await store.open(file: name, at: address) else { return nil }
    return try await file.read(at: 0, count: Int(file.size))
  }

  /// The answer to a request without a signature in its header.
  struct Answer: Sendable {
    var status: Int
    /// The header fields. Their names are in lower case.
    var headers: [String: String]
    var body: [UInt8]
  }

  /// Sends a request as a client with nothing but a URL.
  static func fetch(
    _ url: String, method: String = "GET", range: String? = nil
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: url)
    request.method = HTTPMethod(rawValue: method)
    if let range { request.headers.add(name: "range", value: range) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
    let body = try await response.body.collect(upTo: 1 << 24)
    let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
    return Answer(
      status: Int(response.status.code), headers: Dictionary(headers) { first, _ in first },
      body: Array(body.readableBytesView))
  }

  /// Returns the error that a body throws, or nil if it throws none.
  static func failure(_ body: () async throws(ServerError) -> Void) async -> ServerError? {
    do throws(ServerError) { try await body() } catch { return error }
    return nil
  }
}
