import Foundation
import QueryChecks
import Testing

@Suite
struct RandomQueries {
  /// The number of data sets in `scripts/test`. They take less than 20 seconds in a debug build.
  static let dataSetsCount = 20

  @Test
  func `the query engine gives the same answers as the naive evaluator`() async {
    let check = QueryCheck(
      variables: ProcessInfo.processInfo.environment, dataSets: Self.dataSetsCount)
    #expect(await check.run() == [])
  }
}
