/// A table whose rows are copied from one engine to another.
public struct CopiedTable: Sendable, Hashable {
  /// The kind of the values in a column.
  public enum Kind: Sendable, Hashable {
    case integer, text, bytes
  }

  public struct Column: Sendable, Hashable {
    public let name: String
    public let kind: Kind

    public init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  public let name: String
  /// The columns, in the order of their names. Upgrades may have added them in another order.
  public let columns: [Column]

  public init(name: String, columns: [Column]) {
    self.name = name
    self.columns = columns.sorted { $0.name < $1.name }
  }

  /// The names of the columns, as SQL text.
  public var list: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

  /// Returns the values of a row that has these columns.
  public func values(of row: any SQLRow) -> [SQLValue] {
    var values: [SQLValue] = []
    values.reserveCapacity(columns.count)
    for (position, column) in columns.enumerated() {
      if row.isNull(position) {
        values.append(.null)
        continue
      }
      switch column.kind {
      case .integer: values.append(.integer(row.integer(position)))
      case .text: values.append(.text(row.text(position)))
      case .bytes: values.append(.bytes(row.bytes(position)))
      }
    }
    return values
  }

  /// Whether another engine's table has the same columns. PostgreSQL stores texts as bytes, so the
  /// kinds `text` and `bytes` count as equal.
  func matches(_ other: CopiedTable) -> Bool {
    name == other.name && columns.count == other.columns.count
      && zip(columns, other.columns).allSatisfy { one, other in
        one.name == other.name && (one.kind == .integer) == (other.kind == .integer)
      }
  }
}
