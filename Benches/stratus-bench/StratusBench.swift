import ArgumentParser
import Foundation
import StratusProgress

/// Measures a Stratus server, and compares it with simpler programs on the same machine (the
/// floors).
@main
struct StratusBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stratus-bench",
    abstract: "Measure a Stratus server against what this machine can do.",
    subcommands: [
      RunCommand.self, DriveCommand.self, StreamsCommand.self, SyncCommand.self, FixedAnswer.self,
      ChartCommand.self, NeighbourCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}

/// A job that can be measured alone.
enum Job: String, CaseIterable, ExpressibleByArgument {
  case lookup, poll, modifyOne = "modify-1", modifyMany = "modify-200", pull
  case oneChange = "one-change"
  case query, rows, asset, push, subscriptions, sharing, sync, memory, neighbours
}

/// `stratus-bench`: measures all jobs or the requested jobs, and prints one table.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Measure all jobs, and print one table.")

  @Flag(help: "Make a short run of about a minute, whose figures vary more.")
  var quick = false

  @Option(help: "The file to which the figures are also written as JSON.")
  var json: String?

  @Option(help: "The file to which the table is also drawn as an SVG chart.")
  var chart: String?

  @Option(help: "The stratus binary. Default: the one beside this program.")
  var server: String?

  @Option(help: "A folder on the disk to measure. Default: the system's temporary folder.")
  var folder: String?

  @Option(help: "The number of rounds.")
  var rounds: Int?

  @Option(help: "The number of seconds of each measurement.")
  var seconds: Double?

  @Option(help: "The number of records in the large zone, and of records for queries.")
  var records: Int?

  @Option(
    help: "Measure only this job; may be repeated. One of: \(Job.allCases.map(\.rawValue)).")
  var only: [Job] = []

  @Option(
    help: "The only load of the job neighbours; may be repeated. One of: \(Neighbour.names).")
  var neighbour: [Neighbour] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: "An option of `stratus serve` for the server of the job neighbours; may be repeated.")
  var serveOption: [String] = []

  func run() throws {
    var sizes = quick ? Sizes.quick : Sizes.full
    if let rounds { sizes.rounds = max(1, rounds) }
    if let seconds { sizes.seconds = max(0.1, seconds) }
    if let records {
      sizes.largeZoneRecords = max(1_000, records)
      sizes.queriedRecords = max(1_000, records)
      sizes.storedRecords = max(1_000, records)
    }
    // The job `neighbours` runs only if it is requested, because it takes as long as all other
    // jobs together.
    let wanted = Set(only.isEmpty ? Job.allCases.filter { $0 != .neighbours } : only)
    sizes.neighbours = neighbour.isEmpty ? Neighbour.allCases : neighbour
    sizes.serveOptions = serveOption
    if wanted.isDisjoint(with: [.oneChange, .sharing]) { sizes.largeZoneRecords = 0 }
    if !wanted.contains(.query) { sizes.queriedRecords = 0 }
    if wanted.isDisjoint(with: [.lookup, .pull, .sharing]) { sizes.pulledRecords = 0 }
    let work = try WorkFolder.make(in: folder)
    defer { WorkFolder.remove(work) }
    let report = try measure(sizes, wanted, in: work)
    print(report.table)
    if let json { try Data(report.json).write(to: URL(fileURLWithPath: json)) }
    if let chart {
      try Chart(run: RecordedRun.decoded(Data(report.json))).write(to: chart)
    }
  }

  private func measure(_ sizes: Sizes, _ wanted: Set<Job>, in work: String) throws -> Report {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let beside = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("stratus").path
    let machine = try Machine(measuring: work)
    let line = ProgressLine(now: { Clock.nanoseconds() / 1_000_000 })
    defer { line.end() }
    let announce = { (step: String) in
      line.note(step) { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
      line.rename(step)
    }
    let jobs = try Jobs(
      sizes: sizes, folder: work, serverProgram: server ?? beside, benchProgram: own,
      progress: line, announce: announce)
    defer { jobs.stop() }
    line.begin(
      "measuring", total: Int64(sizes.rounds * wanted.count), unit: .count("jobs"))
    var rounds: [[Row]] = []
    for _ in 0..<sizes.rounds { rounds.append(try jobs.measureRound(only: wanted)) }
    if wanted.contains(.memory) {
      let memory = MemoryJobs(
        program: server ?? beside, folder: work, records: sizes.storedRecords, progress: line,
        announce: announce)
      let rows = try memory.measure()
      rounds = rounds.map { $0 + rows }
    }
    return Report(
      machine: machine, rounds: rounds, loadAfter: Machine.currentLoad,
      residentBytes: jobs.residentBytes)
  }
}
