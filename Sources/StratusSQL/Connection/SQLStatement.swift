import Synchronization

/// A statement known when the program was written.
///
/// Made once, as a static constant. Its index is small and dense, so that a connection finds the
/// prepared form in an array.
public struct SQLStatement: Sendable {
  /// Where connections keep the prepared form; from 0 on, in order of making.
  public let index: Int
  /// The text in an engine's dialect, with `?` for each value.
  public let text: @Sendable (SQLDialect) -> String

  /// A statement that reads the same on every engine.
  public init(_ text: String) { self.init { _ in text } }

  /// A statement that does not.
  public init(_ text: @escaping @Sendable (SQLDialect) -> String) {
    index = Self.nextIndex.wrappingAdd(1, ordering: .relaxed).oldValue
    self.text = text
  }

  /// A statement that inserts one row into a table with a counted key.
  ///
  /// - Parameter key: the key's column.
  public init(inserting text: String, key: String) {
    self.init { text + $0.returning(key) }
  }

  private static let nextIndex = Atomic<Int>(0)
}

/// How an engine says what PostgreSQL and SQLite say differently.
public struct SQLDialect: Sendable {
  /// Type and constraints of a primary key that the engine counts up and never gives twice.
  public var countedKey: String
  /// Type and constraints of a primary key whose numbers are given.
  public var givenKey: String
  /// Text that is compared and ordered by its UTF-8 bytes.
  public var text: String
  public var bytes: String
  /// The end of a `SELECT` that locks the rows of one of its tables until the transaction ends.
  public var forUpdate: @Sendable (_ table: String) -> String
  /// The end of an `INSERT` that gives back a column of the new row; empty where the connection
  /// knows the key of the row inserted last.
  public var returning: @Sendable (_ column: String) -> String
  /// What the definition of a table ends with if all of a row is in its primary key, or nearly all.
  public var keyedTable: String

  public init(
    countedKey: String, givenKey: String, text: String, bytes: String,
    forUpdate: @escaping @Sendable (_ table: String) -> String,
    returning: @escaping @Sendable (_ column: String) -> String, keyedTable: String
  ) {
    self.countedKey = countedKey
    self.givenKey = givenKey
    self.text = text
    self.bytes = bytes
    self.forUpdate = forUpdate
    self.returning = returning
    self.keyedTable = keyedTable
  }
}
