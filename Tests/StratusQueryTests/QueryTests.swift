import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Synchronization
import Testing

@Suite
struct RandomQueries {
  /// What `scripts/test` runs: under 20 seconds in debug.
  static let dataSetsCount = 20
  /// At once, each with a store of its own.
  static let workersCount = 2

  @Test
  func `the engine answers every query as the naive evaluator does`() async throws {
    let variables = ProcessInfo.processInfo.environment
    let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? 1
    let first = variables["STRATUS_QUERY_FIRST"].flatMap { Int($0) } ?? 0
    let seconds = variables["STRATUS_QUERY_SECONDS"].flatMap { Int($0) }
    let asked = variables["STRATUS_QUERY_DATA_SETS"].flatMap { Int($0) }
    let count = asked ?? (seconds == nil ? Self.dataSetsCount : 1_000_000_000)
    let begin = ContinuousClock.now
    let queue = DataSetQueue(
      first..<(first + count), until: seconds.map { begin + .seconds($0) })
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.workersCount {
        group.addTask { await Self.work(queue, seed: seed) }
      }
    }
    let tally = queue.tally
    print(
      "query test: \(tally.cases) cases of seed \(seed) in "
        + "\((ContinuousClock.now - begin).components.seconds) s: \(tally)")
    guard !queue.isStopped, first == 0, count >= Self.dataSetsCount else { return }
    // What is rare proves little.
    #expect(tally.refused * 4 < tally.cases * 3)
    #expect(tally.refused * 20 > tally.cases)
    #expect(tally.open * 50 < tally.cases)
    #expect(tally.empty * 4 < tally.cases * 3)
    #expect(tally.pages > tally.cases)
    #expect(tally.edited * 20 > tally.cases)
    #expect(tally.counted * 50 > tally.cases)
  }

  private static func work(_ queue: DataSetQueue, seed: UInt64) async {
    while let number = queue.next() {
      var generator = StepGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
      let steps = generator.steps()
      let plan = generator.drawn.plan
      var run = DataSetRun()
      do {
        try await run.run(steps, plan: plan)
        queue.done(run.tally)
      } catch {
        let failed = queue.done(run.tally, failed: true)
        let reached = Array(steps[...error.step])
        var shrinker = Shrinker(plan: plan)
        let (fewer, text) = await shrinker.shrink(reached) ?? (reached, "no second time")
        Issue.record(
          """
          Data set \(number), step \(error.step) of seed \(seed), after \(failed) cases \
          (STRATUS_SEED=\(seed) STRATUS_QUERY_FIRST=\(number) STRATUS_QUERY_DATA_SETS=1) fails: \
          \(error.text.prefix(2_000))
          \(fewer.count) of its \(steps.count) steps are enough for: \(text.prefix(2_000))
          \(Report.text(fewer, plan: plan))
          """)
      }
    }
  }
}

/// A failing data set as text.
private enum Report {
  static func text(_ steps: [Step], plan: WorldPlan) -> String {
    var lines = [plan.isProduction ? "in production" : "in development"]
    for (name, type) in plan.declared.sorted(by: { $0.key < $1.key }) {
      let fields = type.fields.sorted { $0.key < $1.key }
        .map { "\($0.key) \($0.value.type.schemaName) \($0.value.marks.rawValue)" }
      lines.append("type \(name): \(fields.joined(separator: ", "))")
    }
    if steps.count > 60 { lines.append("the last 60 steps:") }
    for (index, step) in steps.enumerated().suffix(60) {
      lines.append("\(index + 1). \(text(step).prefix(4_000))")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ step: Step) -> String {
    guard case .ask(let query) = step else { return "\(step)" }
    let between = query.between.enumerated().map { "\n   after page \($0): \($1)" }.joined()
    let extras = "marker \(query.marker), count \(query.countsToo), \(query.changesLimit)"
    return "ask \(query.database): \(query.text()) (\(extras))\(between)"
  }
}

/// Hands out the numbers of data sets.
private final class DataSetQueue: Sendable {
  private struct Contents {
    var numbers: Range<Int>
    var tally = DataSetRun.Tally()
    var isStopped = false
  }

  private let contents: Mutex<Contents>
  private let end: ContinuousClock.Instant?

  init(_ numbers: Range<Int>, until end: ContinuousClock.Instant?) {
    contents = Mutex(Contents(numbers: numbers))
    self.end = end
  }

  var tally: DataSetRun.Tally { contents.withLock(\.tally) }
  var isStopped: Bool { contents.withLock(\.isStopped) }

  /// The next number; nil: it is enough.
  func next() -> Int? {
    contents.withLock { contents in
      if contents.isStopped { return nil }
      if let end, ContinuousClock.now >= end { return nil }
      return contents.numbers.popFirst()
    }
  }

  /// - Returns: how many cases were done in all.
  @discardableResult
  func done(_ tally: DataSetRun.Tally, failed: Bool = false) -> Int {
    contents.withLock { contents in
      contents.tally += tally
      if failed { contents.isStopped = true }
      return contents.tally.cases
    }
  }
}
