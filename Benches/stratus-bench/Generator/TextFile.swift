import Foundation

/// Reads small files of the kernel, such as those in `/proc`.
enum TextFile {
  /// Returns the whole text, or nil if the file cannot be read.
  static func read(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
