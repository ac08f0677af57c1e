import Foundation
import StratusWire

/// Measures a quiet caller's lookups and saves, first alone and then during each load of another
/// caller.
struct NeighbourJobs {
  private static let container = "iCloud.bench.neighbours"
  private static let zone = "quiet"
  private static let goal = 5.0
  /// The pause of the quiet caller after each lookup and save, in microseconds.
  private static let pauseMicroseconds: UInt32 = 3_000

  let children: Children
  let sizes: Sizes
  let folder: String

  func measure(_ announce: (String) -> Void) throws -> [Row] {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let server = try BenchServer(
      program: children.server, folder: folder, serving: Self.container,
      options: sizes.serveOptions)
    defer { server.process.stop() }
    let victim = try QuietCaller(
      port: server.process.port,
      requests: server.account("quiet@example.com", container: Self.container), zone: Self.zone)
    var rows: [Row] = []
    for load in sizes.neighbours {
      announce("neighbour: \(load.title)")
      rows.append(try measure(load, server, victim))
    }
    return rows
  }

  private func measure(
    _ load: Neighbour, _ server: BenchServer, _ victim: QuietCaller
  ) throws -> Row {
    let account = try server.account("\(load.rawValue)@example.com", container: Self.container)
    let child = try NeighbourProcess(
      program: children.program, load: load, port: server.process.port, requests: account)
    defer { child.stop() }
    // The load is prepared, but it does not run yet.
    let alone = try victim.measure(seconds: sizes.seconds, pause: Self.pauseMicroseconds)
    try child.start()
    _ = try victim.measure(seconds: sizes.warmUpSeconds, pause: Self.pauseMicroseconds)
    let before = ProcessorTime.microseconds(of: server.process.processID) ?? 0
    let start = Clock.nanoseconds()
    let beside = try victim.measure(seconds: sizes.seconds, pause: Self.pauseMicroseconds)
    let seconds = Double(Clock.nanoseconds() - start) / 1e9
    let used = (ProcessorTime.microseconds(of: server.process.processID) ?? 0) - before
    var row = Row(
      load.title, rate: used / seconds / 10_000, unit: "% of a core")
    row.comparisons = [
      comparison("lookup", alone.lookups, beside.lookups, load),
      comparison("save", alone.saves, beside.saves, load),
    ]
    return row
  }

  private func comparison(
    _ name: String, _ alone: [Int64], _ beside: [Int64], _ load: Neighbour
  ) -> Comparison {
    let (before, after) = (alone.percentile(0.99), beside.percentile(0.99))
    func text(_ nanoseconds: Int64) -> String {
      String(format: "%.2f", Double(nanoseconds) / 1e6)
    }
    return Comparison(
      name: "× p99 of \(name) (\(text(before)) → \(text(after)) ms)",
      value: Double(after) / Double(max(1, before)),
      goal: load.isFloor ? nil : .atMost(Self.goal))
  }
}

/// A caller that alternately saves and looks up one record, with pauses, over one connection.
final class QuietCaller {
  private let port: Int
  private let requests: Requests
  private let zone: String
  private var next: UInt64 = 1

  init(port: Int, requests: Requests, zone: String) throws {
    (self.port, self.requests, self.zone) = (port, requests, zone)
    _ = try Exchange(port: port).send(requests.createZone(zone))
    _ = try measure(seconds: 0.2, pause: 0)
  }

  /// - Returns: the latencies in nanoseconds, sorted.
  func measure(
    seconds: Double, pause: UInt32
  ) throws -> (lookups: [Int64], saves: [Int64]) {
    // NB: each measurement needs a new connection, because the server closes an idle connection
    // while a load is being prepared.
    let exchange = try Exchange(port: port)
    var (lookups, saves): ([Int64], [Int64]) = ([], [])
    let end = Clock.nanoseconds() + Int64(seconds * 1e9)
    var save = try requests.saving(1, zone: zone)
    var lookup = requests.lookup(zone: zone)
    while Clock.nanoseconds() < end {
      next += 1
      save.setNames { next }
      saves.append(try exchange.time(save).nanoseconds)
      usleep(pause)
      lookup.setNames { next }
      lookups.append(try exchange.time(lookup).nanoseconds)
      usleep(pause)
    }
    return (lookups.sorted(), saves.sorted())
  }
}

/// The child process that runs a load.
private final class NeighbourProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(program: String, load: Neighbour, port: Int, requests: Requests) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "neighbour", load.rawValue, "--port", "\(port)", "--container", requests.container,
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      [NeighbourCommand.queryVariable: requests.query]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try expect("prepared")
  }

  func start() throws {
    input.fileHandleForWriting.write(Data("go on\n".utf8))
    try expect("ready")
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  private func expect(_ word: String) throws {
    let data = output.fileHandleForReading.availableData
    guard String(decoding: data, as: UTF8.self).hasPrefix(word) else {
      throw Failure("a load ended before it was \(word)")
    }
  }
}
