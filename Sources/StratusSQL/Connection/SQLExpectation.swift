/// The number of rows that a statement must insert, update or delete.
public struct SQLExpectation: Sendable {
  public var rows: Int
  /// The reason of the error that is thrown if another number of rows changes.
  public var otherwise: String

  public init(rows: Int, otherwise: String) {
    self.rows = rows
    self.otherwise = otherwise
  }

  static func one(otherwise: String) -> SQLExpectation {
    SQLExpectation(rows: 1, otherwise: otherwise)
  }
}
