import Foundation
import StratusKit

/// A temporary folder. It is removed together with this object.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "stratus-test-" + UUID().uuidString, isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Creates a file.
  func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
    let url = url.appendingPathComponent(name)
    try Data(bytes).write(to: url)
    return url
  }

  /// A device's own settings for fetched files.
  func assets(_ name: String, piece: Int = 1_000) -> AssetSettings {
    AssetSettings(cacheFolder: url.appendingPathComponent(name), pieceBytesMax: piece)
  }
}
