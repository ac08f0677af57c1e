import StratusWire

/// Measures how many rows the server writes for each record.
enum Amplification {
  private static let zone = "rows"
  private static let records = 2_000

  /// Saves records of a type that has two indexes, and counts the rows that were added.
  static func measure(_ server: BenchServer, round: Int) throws -> Row {
    let container = "iCloud.bench.rows.r\(round)"
    try server.fillIndexed(zone, container: container, records: records)
    let database = try RawSQLite(path: server.storePath(container))
    let rows =
      try database.count("records") + database.count("entries")
      + database.count("links") + database.count("asset_holds")
    let all = try Double(rows) / Double(database.count("records"))
    var row = Row("rows a record, two indexes in use", rate: all, unit: "rows")
    row.comparisons = [.init(name: "rows a record", value: all, goal: .atMost(4))]
    return row
  }
}
