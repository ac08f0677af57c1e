import Foundation
import StratusWire

@testable import StratusTransport

/// Keys and their contexts that several tests use.
enum Fixture {
  static let secret = [UInt8](1...32)
  static let context = ZoneKeyContext(
    container: "iCloud.a", environment: .development, owner: "_ann", zoneName: "Notes")

  static func accountKey(_ first: UInt8 = 1) throws -> AccountKey {
    try AccountKey(drawnFrom: { count in (0..<count).map { first &+ UInt8($0) } })
  }

  static func pair(_ first: UInt8 = 1) throws -> UserKeyPair {
    try accountKey(first).pair(of: "_ann", container: "iCloud.a", environment: .development)
  }

  static func zoneKey(_ context: ZoneKeyContext = context) -> ZoneKey {
    ZoneKey([UInt8](repeating: 7, count: 32), of: context)
  }

  static func nonce(_ count: Int) -> [UInt8] { [UInt8](repeating: 9, count: count) }

  /// Runs a test with a new folder, and removes the folder afterwards.
  static func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }
}
