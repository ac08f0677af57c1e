import Foundation
import StratusProgress
import StratusTesting
import Synchronization
import Testing

@Suite
struct RandomSequences {
  /// The number of sequences in `scripts/test`. They take about a minute in a debug build.
  static let sequencesCount = 2_000
  /// The number of parallel workers, each with its own server.
  static let workersCount = 2

  @Test
  func `server, client and model agree after every step`() async throws {
    let variables = ProcessInfo.processInfo.environment
    let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? 1
    let first = variables["STRATUS_MODEL_FIRST"].flatMap { Int($0) } ?? 0
    let seconds = variables["STRATUS_MODEL_SECONDS"].flatMap { Int($0) }
    let count =
      variables["STRATUS_MODEL_SEQUENCES"].flatMap { Int($0) }
      ?? (seconds == nil ? Self.sequencesCount : .max)
    let begin = ContinuousClock.now
    let end = seconds.map { begin + .seconds($0) }
    let queue = SequenceQueue(first..<(count == .max ? .max : first + count), until: end)
    let line = ProgressLine { Int64((ContinuousClock.now - begin) / .milliseconds(1)) }
    if let seconds {
      line.begin("model test", total: Int64(seconds) * 1_000, unit: .seconds)
    } else {
      line.begin("model test", total: Int64(count), unit: .count("sequences"))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.workersCount {
        group.addTask {
          try await Self.work(queue, seed: seed) {
            let elapsed = Int64((ContinuousClock.now - begin) / .milliseconds(1))
            line.advance(to: seconds == nil ? Int64(queue.doneCount) : elapsed)
          }
        }
      }
      try await group.waitForAll()
    }
    line.end()
    print(
      "model test: \(queue.doneCount) sequences of seed \(seed) in "
        + "\((ContinuousClock.now - begin).components.seconds) s")
    #expect(queue.doneCount > 0)
    guard queue.doneCount >= Self.sequencesCount else { return }
    for sighting in Sighting.allCases {
      let count = queue.sightings[sighting] ?? 0
      #expect(count >= 20, "\(sighting) occurred in only \(count) sequences")
    }
  }

  private static func work(
    _ queue: SequenceQueue, seed: UInt64, showProgress: () -> Void
  ) async throws {
    let server = try await TestServer(onDiskIn: nil)
    let arena = Arena(server: server)
    while let number = queue.next() {
      var generator = StepGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
      let steps = generator.sequence()
      do {
        queue.done(try await ModelRun.run(steps, in: arena))
        showProgress()
      } catch {
        queue.stop()
        var shrinker = Shrinker(arena: arena)
        let (fewer, text) = await shrinker.shrink(steps, failing: "\(error)")
        let list = fewer.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
        Issue.record(
          """
          Sequence \(number) of seed \(seed) (STRATUS_SEED=\(seed) STRATUS_MODEL_FIRST=\(number) \
          STRATUS_MODEL_SEQUENCES=1) fails: \(error)
          \(fewer.count) of its \(steps.count) steps are enough for: \(text)
          \(list)
          """)
      }
    }
    await server.stop()
  }
}

/// Hands out the numbers of the sequences to the workers.
private final class SequenceQueue: Sendable {
  private struct Contents {
    var numbers: Range<Int>
    var doneCount = 0
    var isStopped = false
    var sightings: [Sighting: Int] = [:]
  }

  private let contents: Mutex<Contents>
  private let end: ContinuousClock.Instant?

  init(_ numbers: Range<Int>, until end: ContinuousClock.Instant?) {
    contents = Mutex(Contents(numbers: numbers))
    self.end = end
  }

  var doneCount: Int { contents.withLock(\.doneCount) }

  /// Returns the next number. Returns nil after the last number, after the time is over, and after
  /// a sequence has failed.
  func next() -> Int? {
    contents.withLock { contents in
      if contents.isStopped { return nil }
      if let end, ContinuousClock.now >= end { return nil }
      return contents.numbers.popFirst()
    }
  }

  /// For each rare event, the number of sequences that contained it.
  var sightings: [Sighting: Int] { contents.withLock(\.sightings) }

  func done(_ sightings: Set<Sighting>) {
    contents.withLock { contents in
      contents.doneCount += 1
      for sighting in sightings { contents.sightings[sighting, default: 0] += 1 }
    }
  }

  func stop() { contents.withLock { $0.isStopped = true } }
}
