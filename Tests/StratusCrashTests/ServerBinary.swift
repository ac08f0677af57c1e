import Foundation

/// The program under test.
struct ServerBinary {
  let file: URL
  /// Whether it is the one `scripts/test` named, built for release.
  let isRelease: Bool

  /// The one in `STRATUS_RELEASE_BINARY`, else the debug one beside the tests; nil if there is
  /// none.
  static func find() -> ServerBinary? {
    let named = ProcessInfo.processInfo.environment["STRATUS_RELEASE_BINARY"]
    if let named, !named.isEmpty {
      return ServerBinary(file: URL(fileURLWithPath: named), isRelease: true)
    }
    guard let tests = Bundle.main.executableURL?.deletingLastPathComponent() else { return nil }
    let candidates = [
      tests.appendingPathComponent("stratus"),
      // On Apple's systems tests are run by a program elsewhere; the build folder is found from
      // here.
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../.build/debug/stratus").standardized,
    ]
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
      .map { ServerBinary(file: $0, isRelease: false) }
  }
}
