import Foundation
import Testing

@Suite(.serialized)
struct Crashes {
  /// The number of rounds with a release build of the server. A debug build is slow.
  static let releaseRounds = 50
  static let debugRounds = 8

  @Test
  func `after SIGKILL, the server has every acknowledged write and no partial batch`() async throws
  {
    let variables = ProcessInfo.processInfo.environment
    let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? 1
    let binary = try #require(
      ServerBinary.find(), "build the product stratus first, or set STRATUS_RELEASE_BINARY")
    let rounds =
      variables["STRATUS_CRASH_ROUNDS"].flatMap { Int($0) }
      ?? (binary.isRelease ? Self.releaseRounds : Self.debugRounds)
    let name = "stratus-crash-\(ProcessInfo.processInfo.processIdentifier)"
    let data = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    defer { try? FileManager.default.removeItem(at: data) }
    if !binary.isRelease {
      print("crash test: a debug build, \(rounds) rounds instead of \(Self.releaseRounds)")
    }
    print("crash test: seed \(seed), set STRATUS_SEED to repeat the run")
    var test = CrashRounds(binary: binary, data: data, seed: seed)
    try await test.run(rounds: rounds)
    print(test.summary)
    #expect(test.faults.isEmpty, "seed \(seed): \(test.faults.joined(separator: "\n"))")
    // With fewer restarts or writes, the test would not show enough.
    #expect(test.startDurations.count == rounds || !test.faults.isEmpty)
    #expect(test.writesCount >= rounds * 10 || !test.faults.isEmpty)
  }
}

extension CrashRounds {
  /// A summary of the result in one line.
  fileprivate var summary: String {
    let starts = startDurations.map { $0 / .milliseconds(1) }.sorted()
    let middle = starts.isEmpty ? 0 : starts[starts.count / 2]
    return "crash test: \(starts.count) kills, \(writesCount) acknowledged requests, "
      + "\(openCount) under way at a kill (\(openDoneCount) of them done), "
      + "\(liveChecksCount) checks of the running server; start after a kill: "
      + "median \(Int(middle)) ms, longest \(Int(starts.last ?? 0)) ms"
  }
}
