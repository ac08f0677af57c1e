import Foundation
import StratusTesting
import Testing

/// Random grants over HTTP. The result of each verb of each caller must be the one that
/// ``GrantOracle`` expects.
///
/// `STRATUS_SEED` chooses the configurations, and `STRATUS_GRANT_CONFIGURATIONS` is their number.
@Suite struct `The matrix of grants` {
  @Test
  func `every caller gets the expected result of every verb in random configurations`()
    async throws
  {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["STRATUS_SEED"].flatMap(UInt64.init) ?? 1
    let count = environment["STRATUS_GRANT_CONFIGURATIONS"].flatMap(Int.init) ?? 500
    var chance = SeededChance(seed: seed)
    // NB: every 50 configurations have a server of their own, so that the notification queues stay
    // short.
    let partSize = 50
    var cells = 0
    for start in stride(from: 0, to: count, by: partSize) {
      let server = try await TestServer()
      let matrix = try await GrantMatrix(server)
      for number in start..<min(start + partSize, count) {
        let configuration = Self.configuration(number, matrix, &chance)
        let (wrong, tried) = try await matrix.run(configuration)
        cells += tried
        for sentence in wrong { Issue.record("seed \(seed): \(sentence)") }
      }
      await server.stop()
    }
    print("grants: \(count) configurations, \(cells) cells, seed \(seed)")
    #expect(cells == count * (4 * 18 + 7))
  }

  private static func configuration(
    _ number: Int, _ matrix: GrantMatrix, _ chance: inout SeededChance
  ) -> GrantConfiguration {
    var grants: [String: Set<String>] = [:]
    for role in GrantMatrix.roles {
      // Roles without grants are frequent, as in real schemas.
      if Bool.random(using: &chance) { continue }
      grants[role] = Set(["READ", "CREATE", "WRITE"].filter { _ in Bool.random(using: &chance) })
    }
    return GrantConfiguration(
      number: number, grants: grants,
      creator: Int.random(in: 1..<matrix.callers.count, using: &chance))
  }
}
