import Foundation

/// The program under test.
struct ServerBinary {
  let file: URL
  /// Whether it is the release build that `scripts/test` names.
  let isRelease: Bool

  /// The program named by `STRATUS_RELEASE_BINARY`, else the debug program beside the tests; nil if
  /// there is none.
  static func find() -> ServerBinary? {
    let named = ProcessInfo.processInfo.environment["STRATUS_RELEASE_BINARY"]
    if let named, !named.isEmpty {
      return ServerBinary(file: URL(fileURLWithPath: named), isRelease: true)
    }
    guard let tests = Bundle.main.executableURL?.deletingLastPathComponent() else { return nil }
    let candidates = [
      tests.appendingPathComponent("stratus"),
      // On Apple's systems, a program in another folder runs the tests. The build folder is found
      // from this file.
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../.build/debug/stratus").standardized,
    ]
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
      .map { ServerBinary(file: $0, isRelease: false) }
  }
}
