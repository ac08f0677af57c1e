import Foundation
import QueryChecks
import Testing

@Suite
struct RandomQueries {
  /// What `scripts/test` runs: under 20 seconds in debug.
  static let dataSetsCount = 20

  @Test
  func `the engine answers every query as the naive evaluator does`() async {
    let check = QueryCheck(
      variables: ProcessInfo.processInfo.environment, dataSets: Self.dataSetsCount)
    #expect(await check.run() == [])
  }
}
