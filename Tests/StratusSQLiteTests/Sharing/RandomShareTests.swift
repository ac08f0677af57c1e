import Foundation
import StratusWire
import Testing

@testable import StratusDomain

/// Compares a random history of saves, moves, shares and participants with a naive model. A
/// participant that syncs with change tokens has exactly the visible records.
@Suite struct `Random shares` {
  private static let runs: UInt64 = 120
  private static let steps = 120

  @Test
  func `a participant that syncs with change tokens has exactly the records it may see`()
    async throws
  {
    try await run(isOverWire: false, expecting: ShareSights.all)
  }

  /// Requests create the shares, accept them, and remove users.
  @Test
  func `participants of shares made by requests have exactly the records they may see`()
    async throws
  {
    try await run(isOverWire: true, expecting: ShareSights.all + ShareSights.ofRequests)
  }

  private func run(isOverWire: Bool, expecting sights: [String]) async throws {
    let variables = ProcessInfo.processInfo.environment
    let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) }
    let first = variables["STRATUS_SHARES_FIRST"].flatMap { UInt64($0) } ?? 1
    let runs = variables["STRATUS_SHARES_RUNS"].flatMap { UInt64($0) } ?? Self.runs
    var seen = ShareSights()
    for seed in seed.map({ $0...$0 }) ?? first...(first + runs - 1) {
      var run = try await RandomShares(seed: seed, isOverWire: isOverWire)
      do {
        for _ in 0..<Self.steps { try await run.step() }
        try await run.finish()
      } catch {
        Issue.record(
          "seed \(seed) (STRATUS_SEED=\(seed)): \(error)\n\(run.log.joined(separator: "\n"))")
      }
      run.server.close()
      seen.add(run.sights)
    }
    // If these situations were rare, the runs would not test them enough.
    if seed == nil { #expect(seen.rare(among: sights, below: Int(runs) / 10) == []) }
  }
}

/// Counts the situations in the runs.
struct ShareSights {
  private(set) var counts: [String: Int] = [:]
  static let all = [
    "move", "cycle", "refused", "denied", "hidden", "join", "join again", "leave", "removed",
    "begin", "end", "deletion told", "expired", "further page", "unfinished", "no zone",
    "participant saves",
  ]

  static let ofRequests = [
    "overlap", "not invited", "permission changed", "root deleted", "blocked",
  ]

  mutating func note(_ sight: String, _ count: Int = 1) { counts[sight, default: 0] += count }

  mutating func add(_ other: ShareSights) {
    for (sight, count) in other.counts { note(sight, count) }
  }

  func rare(among sights: [String], below countMin: Int) -> [String] {
    sights.filter { counts[$0, default: 0] < countMin }
  }
}
