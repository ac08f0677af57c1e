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

  /// Returns the error that a body throws, or nil if it throws none.
  static func failure(_ body: () async throws(ServerError) -> Void) async -> ServerError? {
    do throws(ServerError) { try await body() } catch { return error }
    return nil
  }
}
