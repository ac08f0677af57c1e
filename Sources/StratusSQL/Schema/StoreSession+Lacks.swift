public import StratusDomain
import StratusWire

extension StoreSession {
  public func lackCounts() throws(ServerError) -> [LackCount] {
    try Self.lackCounts(on: connection)
  }

  /// Returns the counts of the production radar, the highest count first. The rows are sorted in
  /// memory, because the table is small.
  static func lackCounts(on connection: any SQLConnection) throws(ServerError) -> [LackCount] {
    var counts: [LackCount] = []
    try connection.run(LackStatements.list, []) { (row) throws(ServerError) in
      guard let kind = ProductionLack.Kind(rawValue: row.text(1)) else {
        throw .fault("a count of refusals has an unknown kind", facts: ["kind": row.text(1)])
      }
      counts.append(
        LackCount(
          lack: ProductionLack(recordType: row.text(0), kind: kind, name: row.text(2)),
          app: row.text(3), count: row.integer(4), firstAt: row.integer(5),
          lastAt: row.integer(6)))
      return true
    }
    // NB: lacks with the same count and time are ordered by their names, so that the order is the
    // same every time.
    return counts.sorted {
      ($0.count, $0.lastAt, $1.lack.recordType, $1.lack.name, $1.app)
        > ($1.count, $1.lastAt, $0.lack.recordType, $0.lack.name, $0.app)
    }
  }

  public func add(_ counts: [LackCount]) throws(ServerError) {
    for count in counts {
      try connection.queue(
        LackStatements.add,
        Self.key(of: count) + [
          .integer(count.count), .integer(count.firstAt), .integer(count.lastAt),
        ])
    }
    for count in try lackCounts().dropFirst(Limits.lacksPerStoreMax) {
      try connection.queue(LackStatements.remove, Self.key(of: count))
    }
  }

  public func remove(_ lacks: Set<ProductionLack>) throws(ServerError) {
    for count in try lackCounts() where lacks.contains(count.lack) {
      try connection.queue(LackStatements.remove, Self.key(of: count))
    }
  }

  private static func key(of count: LackCount) -> [SQLValue] {
    [
      .text(count.lack.recordType), .text(count.lack.kind.rawValue), .text(count.lack.name),
      .text(count.app),
    ]
  }
}

private enum LackStatements {
  static let list = SQLStatement(
    "SELECT record_type, kind, name, app, count, first_at, last_at FROM lacks")
  static let add = SQLStatement(
    """
    INSERT INTO lacks (record_type, kind, name, app, count, first_at, last_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (record_type, kind, name, app) DO UPDATE SET
      count = lacks.count + excluded.count, last_at = excluded.last_at
    """)
  static let remove = SQLStatement(
    "DELETE FROM lacks WHERE record_type = ? AND kind = ? AND name = ? AND app = ?")
}
