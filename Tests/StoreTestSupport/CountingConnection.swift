public import StratusDomain
public import StratusSQL

/// A connection that records the first three words of each statement that it passes on, and counts
/// the returned rows. It does not record the statements of `define`.
public final class CountingConnection: SQLConnection {
  private let connection: any SQLConnection
  private var texts: [String] = []
  private var rowsCount = 0
  private let collected = CollectedSaves()

  public init(_ connection: any SQLConnection) { self.connection = connection }

  /// Returns the recorded statements since the last call.
  public func take() -> [String] {
    defer { texts = [] }
    return texts
  }

  /// Returns the number of returned rows since the last call.
  public func takeRows() -> Int {
    defer { rowsCount = 0 }
    return rowsCount
  }

  private func note(_ statement: SQLStatement) {
    texts.append(
      statement.text(dialect).split { $0 == " " || $0 == "\n" }.prefix(3).joined(separator: " "))
  }

  public var dialect: SQLDialect { connection.dialect }

  /// NB: the saves wait here and not on the other connection, so that their statements are
  /// recorded.
  public var saves: CollectedSaves? { connection.saves == nil ? nil : collected }

  public func sendSaves() throws(ServerError) {
    let before = writes
    defer { writes = before }
    try collected.send(on: self)
  }

  public var writes: Int {
    get { connection.writes }
    set { connection.writes = newValue }
  }

  public func queue(
    _ statement: SQLStatement, _ values: [SQLValue], dividingIf reason: String
  ) throws(ServerError) {
    try sendSaves()
    note(statement)
    try connection.queue(statement, values, dividingIf: reason)
  }

  public func run(
    _ statement: SQLStatement, _ values: [SQLValue],
    row: (any SQLRow) throws(ServerError) -> Bool
  ) throws(ServerError) {
    try sendSaves()
    note(statement)
    try connection.run(statement, values) { (found) throws(ServerError) in
      rowsCount += 1
      return try row(found)
    }
  }

  public func execute(
    _ statement: SQLStatement, _ values: [SQLValue]
  ) throws(ServerError) -> Int {
    try sendSaves()
    note(statement)
    return try connection.execute(statement, values)
  }

  public func queue(
    _ statement: SQLStatement, _ values: [SQLValue], expecting expected: SQLExpectation?
  ) throws(ServerError) {
    try sendSaves()
    note(statement)
    try connection.queue(statement, values, expecting: expected)
  }

  public func insert(
    _ statement: SQLStatement, _ values: [SQLValue]
  ) throws(ServerError) -> Int64 {
    try sendSaves()
    note(statement)
    return try connection.insert(statement, values)
  }

  public func define(_ text: String) throws(ServerError) {
    try sendSaves()
    try connection.define(text)
  }

  public func upgradePhase() throws(ServerError) -> SQLUpgradePhase {
    try connection.upgradePhase()
  }

  public func hasUnusedSpace() throws(ServerError) -> Bool { try connection.hasUnusedSpace() }

  public func returnUnusedSpace() throws(ServerError) -> Bool {
    try connection.returnUnusedSpace()
  }
}
