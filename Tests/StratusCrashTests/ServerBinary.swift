import Foundation

/// The program under test.
struct ServerBinary {
  let file: URL
  /// Whether `STRATUS_RELEASE_BINARY` names the program. `scripts/test` sets this variable to a
  /// release build.
  let isRelease: Bool

  /// Returns the program that `STRATUS_RELEASE_BINARY` names. If the variable is not set, returns
  /// the debug build beside the tests, or nil if there is no debug build.
  static func find() -> ServerBinary? {
    let named = ProcessInfo.processInfo.environment["STRATUS_RELEASE_BINARY"]
    if let named, !named.isEmpty {
      return ServerBinary(file: URL(fileURLWithPath: named), isRelease: true)
    }
    guard let tests = Bundle.main.executableURL?.deletingLastPathComponent() else { return nil }
    let candidates = [
      tests.appendingPathComponent("stratus"),
      // On Apple's systems, the program that runs the tests is in another folder. The path of this
      // source file leads to the build folder.
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../.build/debug/stratus").standardized,
    ]
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
      .map { ServerBinary(file: $0, isRelease: false) }
  }
}
