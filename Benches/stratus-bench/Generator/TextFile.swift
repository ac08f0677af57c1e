import Foundation

/// Small files of the kernel, such as those in `/proc`.
enum TextFile {
  /// The whole text; nil if it cannot be read.
  static func read(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
