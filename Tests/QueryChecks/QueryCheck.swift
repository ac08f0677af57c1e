import Foundation
import StratusDomain
import StratusProgress
import StratusTesting
import StratusWire
import Synchronization

/// Compares random queries with a naive evaluation of the same records.
///
/// The seed and the number of a data set determine its content, so that a failure can be repeated.
public struct QueryCheck: Sendable {
  /// The number of data sets that run in parallel, each with its own store.
  private static let workersCount = 2
  /// With fewer data sets, the check does not require that each kind of case is frequent enough.
  private static let dataSetsLeast = 20

  private let seed: UInt64
  private let numbers: Range<Int>
  private let seconds: Int?

  /// - Parameters:
  ///   - variables: the environment variables `STRATUS_SEED`, `STRATUS_QUERY_FIRST`,
  ///     `STRATUS_QUERY_DATA_SETS` and `STRATUS_QUERY_SECONDS`.
  ///   - dataSets: the number of data sets if the variables contain neither a number of data sets
  ///     nor a number of seconds.
  public init(variables: [String: String], dataSets: Int) {
    seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? 1
    let first = variables["STRATUS_QUERY_FIRST"].flatMap { Int($0) } ?? 0
    seconds = variables["STRATUS_QUERY_SECONDS"].flatMap { Int($0) }
    let asked = variables["STRATUS_QUERY_DATA_SETS"].flatMap { Int($0) }
    let count = asked ?? (seconds == nil ? dataSets : 1_000_000_000)
    numbers = first..<(first + count)
  }

  /// Runs the data sets and prints a summary. If standard error is a terminal, shows the progress.
  ///
  /// - Returns: descriptions of the failures.
  public func run() async -> [String] {
    let begin = ContinuousClock.now
    let line = ProgressLine { Int64((ContinuousClock.now - begin) / .milliseconds(1)) }
    if let seconds {
      line.begin("trying queries", total: Int64(seconds) * 1_000, unit: .seconds)
    } else {
      line.begin("trying queries", total: Int64(numbers.count), unit: .count("data sets"))
    }
    let queue = DataSetQueue(numbers, until: seconds.map { begin + .seconds($0) })
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.workersCount {
        group.addTask { await work(queue, line, since: begin) }
      }
    }
    line.end()
    let tally = queue.tally
    print(
      "query test: \(tally.cases) cases of seed \(seed) in "
        + "\((ContinuousClock.now - begin).components.seconds) s: \(tally)")
    let isWhole = numbers.lowerBound == 0 && numbers.count >= Self.dataSetsLeast
    return queue.failures + (queue.isStopped || !isWhole ? [] : tally.rarities)
  }

  private func work(
    _ queue: DataSetQueue, _ line: ProgressLine, since begin: ContinuousClock.Instant
  ) async {
    while let number = queue.next() {
      if seconds == nil {
        line.advance(to: Int64(number - numbers.lowerBound))
      } else {
        line.advance(to: Int64((ContinuousClock.now - begin) / .milliseconds(1)))
      }
      var generator = StepGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
      let steps = generator.steps()
      let plan = generator.drawn.plan
      var run = DataSetRun()
      do {
        try await run.run(steps, plan: plan)
        queue.done(run.tally)
      } catch {
        let count = queue.done(run.tally, failed: true)
        let reached = Array(steps[...error.step])
        var shrinker = Shrinker(plan: plan)
        let (fewer, text) = await shrinker.shrink(reached) ?? (reached, "no second failure")
        queue.note(
          failure: """
            Data set \(number), step \(error.step) of seed \(seed), after \(count) cases \
            (STRATUS_SEED=\(seed) STRATUS_QUERY_FIRST=\(number) STRATUS_QUERY_DATA_SETS=1) fails: \
            \(error.text.prefix(2_000))
            \(fewer.count) of its \(steps.count) steps are enough for: \(text.prefix(2_000))
            \(Report.text(fewer, plan: plan))
            """)
      }
    }
  }
}

extension DataSetRun.Tally {
  /// The reasons why the mix of cases is too one-sided for a good test, for example because too few
  /// queries count their records.
  fileprivate var rarities: [String] {
    [
      (refused * 4 < cases * 3, "too many queries are refused"),
      (refused * 20 > cases, "too few queries are refused"),
      (open * 50 < cases, "too many queries may be answered in any way"),
      (empty * 4 < cases * 3, "too many queries find no record"),
      (pages > cases, "too few pages"),
      (edited * 20 > cases, "too few queries have changes between their pages"),
      (counted * 50 > cases, "too few counts"),
    ].filter { !$0.0 }.map { "\($0.1): \(self)" }
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

/// Hands out the numbers of the data sets to the workers.
private final class DataSetQueue: Sendable {
  private struct Contents {
    var numbers: Range<Int>
    var tally = DataSetRun.Tally()
    var isStopped = false
    var failures: [String] = []
  }

  private let contents: Mutex<Contents>
  private let end: ContinuousClock.Instant?

  init(_ numbers: Range<Int>, until end: ContinuousClock.Instant?) {
    contents = Mutex(Contents(numbers: numbers))
    self.end = end
  }

  var tally: DataSetRun.Tally { contents.withLock(\.tally) }
  var isStopped: Bool { contents.withLock(\.isStopped) }

  var failures: [String] { contents.withLock(\.failures) }

  func note(failure: String) { contents.withLock { $0.failures.append(failure) } }

  /// Returns the next number. Returns nil after the last number, after the time is over, and after
  /// a failure.
  func next() -> Int? {
    contents.withLock { contents in
      if contents.isStopped { return nil }
      if let end, ContinuousClock.now >= end { return nil }
      return contents.numbers.popFirst()
    }
  }

  /// - Returns: the total number of cases so far.
  @discardableResult
  func done(_ tally: DataSetRun.Tally, failed: Bool = false) -> Int {
    contents.withLock { contents in
      contents.tally += tally
      if failed { contents.isStopped = true }
      return contents.tally.cases
    }
  }
}
