import Foundation
import StratusTransport

/// The one place of the framework where clocks, chance and names of its own are made, and where it
/// looks at the process it runs in.
enum Live {
  /// A name nobody else has.
  static func newID() -> String { UUID().uuidString }

  /// Bytes nobody can guess.
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
    // NB: an infinite time, or one that is no number, would trap.
    sleep: { try await Task.sleep(for: .seconds($0 > 0 ? min($0, sleepSecondsMax) : 0)) },
    watch: { seconds in
      // NB: slice by slice. A sleep that is cancelled stays in memory until it would have ended,
      // and time in which the process was stopped counts as one slice.
      var left = min(seconds, sleepSecondsMax)
      while left > 0 {
        try await Task.sleep(for: .seconds(min(left, watchSliceSeconds)))
        left -= watchSliceSeconds
      }
    },
    chance: { Double.random(in: 0..<1) })

  private static let watchSliceSeconds = 20.0
  /// A year.
  private static let sleepSecondsMax = 31_536_000.0

  /// Shared by every container of the process, so that they share connections.
  static let exchange: any HTTPExchange & EventExchange = NetworkExchange()

  /// Shared by every container of the process.
  static let assetCache = assetCache(
    in: AssetCache.folder(
      environmentVariables: ProcessInfo.processInfo.environment,
      temporary: FileManager.default.temporaryDirectory.appendingPathComponent(
        "stratus-\(newID())", isDirectory: true)))

  /// A place for fetched files.
  static func assetCache(in folder: URL) -> AssetCache {
    AssetCache(in: folder, now: now, newID: newID)
  }

  /// What the process's environment says.
  static func settings() -> ServerSettings {
    ServerSettings(environmentVariables: ProcessInfo.processInfo.environment)
  }

  /// The program of this process, by the name of its executable: the same in each of its runs,
  /// wherever it was built or installed.
  static let program: String = {
    let name = ProcessInfo.processInfo.processName
    // What Linux says where the file was replaced since, as by a build.
    let mark = " (deleted)"
    return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
  }()

  /// Looks at the credentials file; nil where there is no place for one.
  static let credentialsWatch = CredentialsFile.location(
    environmentVariables: ProcessInfo.processInfo.environment
  ).map { CredentialsWatch(file: $0, timing: timing) }
}
