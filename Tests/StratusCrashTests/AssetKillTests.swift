import Foundation
import Testing

extension Crashes {
  @Test(.enabled(if: CrashDatabase.chosen == nil, "it reads the files of SQLite"))
  func `an upload completes although server and client are killed, and leaves no other file`()
    async throws
  {
    let variables = ProcessInfo.processInfo.environment
    let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? 1
    let binary = try #require(
      ServerBinary.find(), "build the product stratus first, or set STRATUS_RELEASE_BINARY")
    let kills =
      variables["STRATUS_CRASH_ROUNDS"].flatMap { Int($0) }
      ?? (binary.isRelease ? Self.releaseRounds : Self.debugRounds)
    let name = "stratus-kill-\(ProcessInfo.processInfo.processIdentifier)"
    let data = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    defer { try? FileManager.default.removeItem(at: data) }
    var test = AssetKills(binary: binary, data: data, seed: seed)
    try await test.run(kills: kills)
    print(
      "asset kill test: seed \(seed), \(test.serverKills) kills of the server, "
        + "\(test.clientKills) of the client, \(test.resumed) continued uploads, "
        + "\(test.filesCount) files")
    #expect(test.faults.isEmpty, "seed \(seed): \(test.faults.joined(separator: "\n"))")
    // With fewer kills, the test would not show enough.
    #expect(test.serverKills + test.clientKills == kills)
    #expect(test.filesCount > 0 && test.resumed > 0)
  }
}
