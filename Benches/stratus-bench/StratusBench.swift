import ArgumentParser
import Foundation

/// Measures a Stratus server against floors on the same machine.
@main
struct StratusBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stratus-bench",
    abstract: "Measure a Stratus server against what this machine can do.",
    subcommands: [
      RunCommand.self, DriveCommand.self, StreamsCommand.self, SyncCommand.self, FixedAnswer.self,
      ChartCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}

/// A job that can be measured alone.
enum Job: String, CaseIterable, ExpressibleByArgument {
  case lookup, poll, modifyOne = "modify-1", modifyMany = "modify-200", pull
  case oneChange = "one-change"
  case query, rows, asset, push, subscriptions, sync, memory
}

/// `stratus-bench`: measures everything and prints one table.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Measure, and print one table.")

  @Flag(help: "A short run of about a minute; its figures vary more.")
  var quick = false

  @Option(help: "Where to write the figures as JSON, too.")
  var json: String?

  @Option(help: "Where to draw the table as an SVG picture, too.")
  var chart: String?

  @Option(help: "The stratus binary; otherwise the one beside this one.")
  var server: String?

  @Option(help: "A folder on the disk to measure; otherwise the system's temporary one.")
  var folder: String?

  @Option(help: "How often everything is measured.")
  var rounds: Int?

  @Option(help: "Seconds each load is measured.")
  var seconds: Double?

  @Option(help: "Records in the large zone, and records that are queried.")
  var records: Int?

  @Option(
    help: "Measure this alone; may be repeated. One of: \(Job.allCases.map(\.rawValue)).")
  var only: [Job] = []

  func run() throws {
    var sizes = quick ? Sizes.quick : Sizes.full
    if let rounds { sizes.rounds = max(1, rounds) }
    if let seconds { sizes.seconds = max(0.1, seconds) }
    if let records {
      sizes.largeZoneRecords = max(1_000, records)
      sizes.queriedRecords = max(1_000, records)
      sizes.storedRecords = max(1_000, records)
    }
    let wanted = Set(only.isEmpty ? Job.allCases : only)
    if !wanted.contains(.oneChange) { sizes.largeZoneRecords = 0 }
    if !wanted.contains(.query) { sizes.queriedRecords = 0 }
    if wanted.isDisjoint(with: [.lookup, .pull]) { sizes.pulledRecords = 0 }
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
    let jobs = try Jobs(
      sizes: sizes, folder: work, serverProgram: server ?? beside, benchProgram: own,
      announce: announce)
    defer { jobs.stop() }
    var rounds: [[Row]] = []
    for _ in 0..<sizes.rounds { rounds.append(try jobs.measureRound(only: wanted)) }
    if wanted.contains(.memory) {
      let memory = MemoryJobs(
        program: server ?? beside, folder: work, records: sizes.storedRecords, announce: announce)
      let rows = try memory.measure()
      rounds = rounds.map { $0 + rows }
    }
    return Report(
      machine: machine, rounds: rounds, loadAfter: Machine.currentLoad,
      residentBytes: jobs.residentBytes)
  }

  private func announce(_ step: String) {
    FileHandle.standardError.write(Data((step + "\n").utf8))
  }
}
