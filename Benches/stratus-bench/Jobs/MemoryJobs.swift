import Foundation
import StratusProgress

/// Measures the memory of a separate server, first with one container and without work, and then
/// after five index builds.
struct MemoryJobs {
  /// The number of seconds after which a server has returned unused memory to the system. The
  /// server checks every five seconds, and returns memory that was unused in two checks.
  private static let quietSeconds = 15.0

  let program: String
  let folder: String
  let records: Int
  /// Shows how many records have been saved, and how many are in the indexes.
  let progress: ProgressLine
  /// Is called with the name of each step.
  let announce: (String) -> Void

  func measure() throws -> [Row] {
    let serverFolder = folder + "/memory"
    try FileManager.default.createDirectory(
      atPath: serverFolder, withIntermediateDirectories: true)
    let server = try BenchServer(program: program, folder: serverFolder)
    defer { server.process.stop() }
    announce("memory of an idle server")
    try server.fill("notes", container: "iCloud.bench.idle", records: 1)
    Thread.sleep(forTimeInterval: Self.quietSeconds)
    var rows = [row("memory of an idle server, one container", server, goal: 40)]
    announce("memory of five index builds over \(records) records")
    _ = try QueryJobs(server: server, records: records).prepare(progress)
    let title = "memory after five index builds over \(records) records"
    rows.append(row(title + ", at once", server, goal: 300))
    Thread.sleep(forTimeInterval: Self.quietSeconds)
    rows.append(row(title + ", \(Int(Self.quietSeconds)) s later", server, goal: 300))
    return rows
  }

  private func row(_ title: String, _ server: BenchServer, goal: Double) -> Row {
    let all = Double(server.process.residentBytes) / 1_048_576
    let own = Double(server.process.ownBytes) / 1_048_576
    var row = Row(title, rate: all, unit: "MiB")
    row.comparisons = [
      .init(name: "MiB", value: all, goal: .atMost(goal)),
      .init(name: "MiB of it the process's own", value: own, goal: nil),
    ]
    return row
  }
}
