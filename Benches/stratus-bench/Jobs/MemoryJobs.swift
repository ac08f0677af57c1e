import Foundation

/// Measures the memory of a server of its own: with one container and nothing to do, and after five
/// index builds.
struct MemoryJobs {
  /// The server returns memory when it was not used for two looks, five seconds apart.
  private static let quietSeconds = 15.0

  let program: String
  let folder: String
  let records: Int
  /// Called with the name of each step, to show progress.
  let announce: (String) -> Void

  func measure() throws -> [Row] {
    let place = folder + "/memory"
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: true)
    let server = try BenchServer(program: program, folder: place)
    defer { server.process.stop() }
    announce("memory of an idle server")
    try server.fill("notes", container: "iCloud.bench.idle", records: 1)
    Thread.sleep(forTimeInterval: Self.quietSeconds)
    var rows = [row("memory of an idle server, one container", server, goal: 40)]
    announce("memory of five index builds over \(records) records")
    _ = try QueryJobs(server: server, records: records).prepare()
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
