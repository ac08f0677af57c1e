import ArgumentParser
import Foundation
import StratusProgress

/// Runs the server and its clients on one thread and in virtual time, with one simulation for each
/// seed.
@main
struct StratusSimulation: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stratus-simulation",
    abstract: "Find seeds after which the devices and the server do not agree.",
    discussion: "See docs/internals/simulation.md.")

  @Option(help: "The number of seeds to try.")
  var seeds: UInt64 = 1_000

  @Option(help: "The first seed.")
  var first: UInt64 = 1

  @Option(help: "The number of processes that share the seeds.")
  var jobs = 1

  @Option(help: "The number of seconds after which no seed is begun.")
  var seconds: Double?

  @Option(help: "The only seed to run.")
  var seed: UInt64?

  @Flag(help: "Print the trace of the events.")
  var trace = false

  @Flag(help: "Run each seed twice, and fail if the two runs differ.")
  var twice = false

  @Flag(help: "Report a failing seed without removing parts of its plan.")
  var unshrunk = false

  @Flag(help: "Continue after a failing seed, without removing parts of its plan.")
  var keepGoing = false

  @Option(help: "Leave out a kind of mishap: \(Mishap.allCases.map(\.rawValue)).")
  var without: [Mishap] = []

  @Option(help: "The maximum number of devices with a sync engine.")
  var engines: Int?

  @Option(help: "The maximum number of devices without a sync engine.")
  var hands: Int?

  @Option(help: "The maximum number of virtual seconds in which mishaps happen.")
  var until: Double?

  @Flag(help: "Simulate an owner who shares records, and guests with sync engines.")
  var sharing = false

  @Flag(help: .hidden)
  var noProgress = false

  func run() throws {
    Self.makeHashingRepeatable()
    if jobs > 1, seed == nil {
      try share()
      return
    }
    guard Hooks.install() else {
      throw ValidationError("this Swift runtime has no hook for the loop")
    }
    if let seed {
      try runAlone(seed)
    } else {
      try runAll()
    }
  }

  private var reduction: Reduction {
    Reduction(without: without, enginesMax: engines, handsMax: hands, secondsMax: until)
  }

  private func runAlone(_ seed: UInt64) throws {
    let outcome = self.outcome(of: seed, isTraced: trace)
    for line in outcome.trace { print(line) }
    print("seed \(seed): \(outcome.failure ?? "fine") after \(outcome.steps) steps")
    if outcome.failure != nil { throw ExitCode.failure }
  }

  private func runAll() throws {
    let begin = ContinuousClock.now
    var count: UInt64 = 0
    var failures = 0
    var sightings: [String: Int] = [:]
    let line = ProgressLine(on: noProgress ? nil : .standardError) {
      Self.milliseconds(since: begin)
    }
    line.begin("trying seeds", total: Int64(seeds), unit: .count("seeds"))
    defer { line.end() }
    for seed in first..<first + seeds {
      if let seconds, ContinuousClock.now - begin >= .seconds(seconds) { break }
      show(count, since: begin, on: line)
      let outcome = self.outcome(of: seed)
      count += 1
      sightings.merge(outcome.sightings, uniquingKeysWith: +)
      if let failure = outcome.failure {
        failures += 1
        line.end()
        report(seed, failure)
        if keepGoing { continue }
        throw ExitCode.failure
      }
      if twice, self.outcome(of: seed).digest != outcome.digest {
        print("two runs of seed \(seed) differ")
        throw ExitCode.failure
      }
    }
    line.end()
    let taken = ContinuousClock.now - begin
    let verdict = failures == 0 ? "agree" : "were tried, \(failures) of them failed"
    print(
      "\(count) seeds from \(first) on \(verdict), in "
        + taken.formatted(.time(pattern: .minuteSecond)))
    for (what, times) in sightings.sorted(by: { $0.key < $1.key }) { print("  \(what): \(times)") }
    if failures > 0 { throw ExitCode.failure }
  }

  private func outcome(of seed: UInt64, isTraced: Bool = false) -> Outcome {
    sharing
      ? SharingRun.outcome(of: seed, reducedBy: reduction, isTraced: isTraced)
      : SeedRun.outcome(of: seed, reducedBy: reduction, isTraced: isTraced)
  }

  /// Shows the progress towards a limit: the number of seeds or the time, whichever will be reached
  /// first.
  private func show(
    _ count: UInt64, since begin: ContinuousClock.Instant, on line: ProgressLine
  ) {
    let elapsed = Double(Self.milliseconds(since: begin)) / 1_000
    let shareOfSeeds = Double(count) / Double(max(1, seeds))
    guard let seconds, elapsed / seconds > shareOfSeeds else {
      return line.advance(to: Int64(count), of: Int64(seeds))
    }
    let expected = Double(count) * seconds / max(elapsed, 0.001)
    line.advance(to: Int64(count), of: max(Int64(count), Int64(expected.rounded())))
  }

  private static func milliseconds(since begin: ContinuousClock.Instant) -> Int64 {
    Int64((ContinuousClock.now - begin) / .milliseconds(1))
  }

  private func report(_ seed: UInt64, _ failure: String) {
    print("SEED \(seed) FAILED: \(failure)")
    if sharing { print("run it again: stratus-simulation --sharing --seed \(seed) --trace") }
    if unshrunk || keepGoing || sharing {
      // NB: standard output is buffered if it is a pipe, so it must be flushed now.
      fflush(nil)
      return
    }
    let found = Shrinker(seed: seed).reduction()
    let outcome = SeedRun.outcome(of: seed, reducedBy: found, isTraced: true)
    for line in outcome.trace.suffix(60) { print("  " + line) }
    print("what is left of it fails with: \(outcome.failure ?? "nothing")")
    let again = ["--seed", "\(seed)", "--trace"] + found.arguments
    print("run it again: stratus-simulation \(again.joined(separator: " "))")
  }

  /// Divides the seeds into parts of the same size, and starts one process for each part.
  private func share() throws {
    let size = (seeds + UInt64(jobs) - 1) / UInt64(jobs)
    let parts = (0..<UInt64(jobs)).map { job -> Process in
      let part = Process()
      part.executableURL = URL(filePath: CommandLine.arguments[0])
      part.arguments = ["--first", "\(first + job * size)", "--seeds", "\(size)"]
      part.arguments? += reduction.arguments
      if let seconds { part.arguments? += ["--seconds", "\(seconds)"] }
      if twice { part.arguments?.append("--twice") }
      if unshrunk { part.arguments?.append("--unshrunk") }
      if sharing { part.arguments?.append("--sharing") }
      if keepGoing { part.arguments?.append("--keep-going") }
      // The parts have the same size, so the progress of one process shows the progress of all.
      if job > 0 { part.arguments?.append("--no-progress") }
      return part
    }
    for part in parts { try part.run() }
    for part in parts { part.waitUntilExit() }
    if parts.contains(where: { $0.terminationStatus != 0 }) { throw ExitCode.failure }
  }

  /// Makes sure that dictionaries have the same order in every run. The runtime decides the order
  /// when it starts.
  private static func makeHashingRepeatable() {
    let variable = "SWIFT_DETERMINISTIC_HASHING"
    if ProcessInfo.processInfo.environment[variable] != nil { return }
    setenv(variable, "1", 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
    arguments.append(nil)
    execv("/proc/self/exe", arguments)
  }
}

extension Mishap: ExpressibleByArgument {}
