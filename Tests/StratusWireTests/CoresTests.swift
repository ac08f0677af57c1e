import Testing

@testable import StratusWire

@Suite struct `Work on all cores` {
  @Test(arguments: [0, 1, 31, 64, 65, 400])
  func `work on all cores returns its results in order`(_ count: Int) {
    let results = Array(0..<count).mappedOnAllCores { "number \($0)" }
    #expect(results == (0..<count).map { "number \($0)" })
  }

  @Test(arguments: [0, 1, 63, 64, 65, 400, 10_000])
  func `work on all cores has only one part, or parts of at least 32 items`(_ count: Int) {
    let parts = Cores.parts(of: count)
    #expect(parts.flatMap { Array($0) } == Array(0..<count))
    #expect(parts.count == 1 || parts.allSatisfy { $0.count >= 32 })
  }
}
