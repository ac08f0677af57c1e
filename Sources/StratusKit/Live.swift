import Foundation
import StratusTransport

/// The framework's only access to clocks, randomness, new IDs and the environment of the process.
enum Live {
  /// Returns a new unique ID.
  static func newID() -> String { UUID().uuidString }

  /// Returns this number of cryptographically random bytes.
  @Sendable static func randomness(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// The time of day.
  static func now() -> Date { Date() }

  static let timing = Timing(
    now: { [start = ContinuousClock.now] in
      let parts = (ContinuousClock.now - start).components
      return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    },
    // NB: without these limits, an infinite number or NaN would end the process.
    sleep: { try await Task.sleep(for: .seconds($0 > 0 ? min($0, sleepSecondsMax) : 0)) },
    watch: { seconds in
      // NB: the wait consists of short sleeps, because a cancelled sleep stays in memory until its
      // planned end. A suspension of the process counts as at most one short sleep.
      var left = min(seconds, sleepSecondsMax)
      while left > 0 {
        try await Task.sleep(for: .seconds(min(left, watchSliceSeconds)))
        left -= watchSliceSeconds
      }
    },
    chance: { Double.random(in: 0..<1) })

  private static let watchSliceSeconds = 20.0
  /// The maximum length of a sleep in seconds: one year.
  private static let sleepSecondsMax = 31_536_000.0

  /// The network access of all containers of the process, which therefore share connections.
  static let exchange: any HTTPExchange & EventExchange = NetworkExchange()

  /// The asset cache that all containers of the process share.
  static let assetCache = assetCache(
    in: AssetCache.folder(
      environmentVariables: ProcessInfo.processInfo.environment,
      temporary: FileManager.default.temporaryDirectory.appendingPathComponent(
        "stratus-\(newID())", isDirectory: true)))

  /// Returns a cache for fetched files in this folder.
  static func assetCache(in folder: URL) -> AssetCache {
    AssetCache(in: folder, now: now, newID: newID)
  }

  /// The settings in the environment of the process.
  static func settings() -> ServerSettings {
    ServerSettings(environmentVariables: ProcessInfo.processInfo.environment)
  }

  /// The name of the process's executable. It is the same in each run, wherever the program was
  /// built or installed.
  static let program: String = {
    let name = ProcessInfo.processInfo.processName
    // Linux appends this text to the name of a running process if the executable was replaced after
    // the start, for example by a build.
    let mark = " (deleted)"
    return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
  }()

  /// Watches the credentials file; nil if no location for the file is known.
  static let credentialsWatch = CredentialsFile.location(
    environmentVariables: ProcessInfo.processInfo.environment
  ).map { CredentialsWatch(file: $0, timing: timing) }
}
