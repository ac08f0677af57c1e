import Testing

@testable import StratusKit

@Suite struct `Work on all cores` {
  @Test(arguments: [0, 1, 31, 64, 65, 400])
  func `gives its results in order`(_ count: Int) {
    #expect(Array(0..<count).mappedOnAllCores { $0 * 2 } == (0..<count).map { $0 * 2 })
  }
}
