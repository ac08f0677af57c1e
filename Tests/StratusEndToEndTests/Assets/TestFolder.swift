import Foundation
import StratusKit

/// A temporary folder. It is removed when this object is released.
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

  /// Asset settings that store a device's fetched files in a folder of this object.
  func assets(_ name: String, piece: Int = 1_000) -> AssetSettings {
    AssetSettings(cacheFolder: url.appendingPathComponent(name), pieceBytesMax: piece)
  }
}
