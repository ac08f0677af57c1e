import Foundation

/// The PostgreSQL cluster of the servers that the tests kill. `STRATUS_TEST_ENGINE=postgres` and
/// `scripts/with-postgres` choose it.
struct CrashDatabase {
  private let url: String

  /// The cluster, or nil if the servers use SQLite.
  static var chosen: CrashDatabase? {
    let variables = ProcessInfo.processInfo.environment
    guard variables["STRATUS_TEST_ENGINE"] == "postgres" else { return nil }
    return CrashDatabase(url: variables["STRATUS_TEST_POSTGRES"] ?? "")
  }

  /// Returns the options of a server. Each data folder has a database of its own, which is created
  /// at its first use.
  ///
  /// - Throws: an error if `psql` cannot be run.
  func options(forServerIn data: URL) throws -> [String] {
    let digits = data.standardizedFileURL.path.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    let database = "crash_\(String(digits, radix: 36))"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // NB: at a later start of the server, the database already exists, so its creation fails. This
    // does no harm.
    process.arguments = ["psql", "--quiet", url, "--command", "CREATE DATABASE \"\(database)\""]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return ["--postgres", url.replacing("/postgres?", with: "/\(database)?")]
  }
}
