import ArgumentParser
import Foundation

/// `stratus-bench drive`: sends a fixed number of requests, for a profiler that counts
/// instructions.
struct DriveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drive",
    abstract: "Send a fixed number of requests to a server under a profiler.",
    discussion: "docs/reference/benchmarks.md explains how to count the instructions of a request.")

  @Option(help: "The stratus binary, or a script that runs one under a profiler.")
  var server: String

  @Option(help: "lookup, poll, modify-1, modify-200, pull or query.")
  var job: Job

  @Option(help: "The number of requests.")
  var requests = 1_000

  @Option(help: "The number of connections.")
  var connections = 8

  func run() throws {
    let work = try WorkFolder.make(in: nil)
    defer { WorkFolder.remove(work) }
    let server = try BenchServer(program: server, folder: work)
    defer { server.process.stop() }
    let container = "iCloud.bench.drive"
    let (zone, records) = ("driven", 1_000)
    try server.fill(zone, container: container, records: records)
    let names = server.requests(container)
    let template =
      switch job {
      case .lookup: names.lookup(zone: zone)
      case .pull: names.changes(zone: zone, since: nil)
      case .modifyOne: try names.saving(1, zone: zone)
      case .modifyMany: try names.saving(200, zone: zone)
      case .query:
        names.query(SampleRecord.queries[0], zone: zone, limit: 50)
      case .poll, .oneChange, .rows, .asset, .push, .subscriptions, .sharing, .sync, .memory,
        .neighbours:
        names.changes(
          zone: zone,
          since: try Follower(port: server.process.port, requests: names, zone: zone)
            .pull().syncToken)
      }
    var next = job == .lookup ? 0 : UInt64(records)
    let generator = LoadGenerator(
      server: server.process, connections: connections, bound: .requests(requests),
      nextName: {
        next += 1
        return job == .lookup ? next % UInt64(records) : next
      })
    let load = try generator.run(template)
    print("\(load.requests) requests, server CPU \(load.processorTimePerRequest) µs each")
  }
}
