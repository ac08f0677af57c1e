import Synchronization

/// An SQL statement that connections prepare once and then reuse.
///
/// Most statements are static constants. Statements that contain the name of a table or schema are
/// created at run time. The indexes are small numbers without gaps, so that a connection can store
/// its prepared statements in an array.
public struct SQLStatement: Sendable {
  /// The index of the prepared statement in each connection. Indexes start at 0, in order of
  /// creation.
  public let index: Int
  /// The SQL text in an engine's dialect, with `?` for each value.
  public let text: @Sendable (SQLDialect) -> String
  /// The writing statements that run together with ``text``, each as `name AS (statement)`. Their
  /// values precede the values of ``text``. Only engines that combine statements have such
  /// statements (see ``SQLDialect/combinesStatements``).
  public let steps: [String]

  /// Creates a statement with the same text for every engine.
  public init(_ text: String) { self.init { _ in text } }

  /// Creates a statement whose text depends on the engine.
  public init(_ text: @escaping @Sendable (SQLDialect) -> String) {
    self.init(text, after: [])
  }

  /// Creates a statement that writes several tables at once.
  ///
  /// - Parameters:
  ///   - text: the last statement, which reads the rows that the steps return.
  ///   - steps: see ``steps``.
  init(_ text: String, after steps: [String]) {
    self.init({ _ in text }, after: steps)
  }

  private init(_ text: @escaping @Sendable (SQLDialect) -> String, after steps: [String]) {
    index = Self.nextIndex.wrappingAdd(1, ordering: .relaxed).oldValue
    self.text = text
    self.steps = steps
  }

  /// Creates a statement that inserts one row into a table whose keys the engine assigns.
  ///
  /// - Parameter key: the column of the key.
  public init(inserting text: String, key: String) {
    self.init { text + $0.returning(key) }
  }

  /// Creates a statement whose rows may be large. The code that reads the rows must stop before the
  /// total size of a column's values exceeds ``SQLLimits/resultSizeBytesMax``.
  ///
  /// - Parameter column: the column whose values may be large.
  init(bounding text: String, by column: String) {
    self.init { $0.bounded(text, column, SQLLimits.resultSizeBytesMax) }
  }

  private static let nextIndex = Atomic<Int>(0)
}

/// The SQL syntax that differs between PostgreSQL and SQLite.
public struct SQLDialect: Sendable {
  /// The type and constraints of a primary key whose values the engine assigns and never reuses.
  public var countedKey: String
  /// The type and constraints of a primary key whose values each `INSERT` contains.
  public var givenKey: String
  /// The type of text that is compared and ordered by its UTF-8 bytes.
  public var text: String
  public var bytes: String
  /// The end of a `SELECT` that locks the selected rows of one table until the transaction ends.
  public var forUpdate: @Sendable (_ table: String) -> String
  /// The end of an `INSERT` that returns a column of the new row. The text is empty if the
  /// connection knows the key of the last inserted row.
  public var returning: @Sendable (_ column: String) -> String
  /// The end of a table definition if the primary key contains all or nearly all columns of a row.
  public var keyedTable: String
  /// Returns the text of a statement that limits the result of the given statement by size. The
  /// result ends after the first row at which the total size of the values of `column` is at least
  /// `bytes`. If the engine reads a result row by row, the returned text is the given text.
  public var bounded: @Sendable (_ text: String, _ column: String, _ bytes: Int) -> String
  /// Returns a statement with one value, a number. After the statement, the keys that the engine
  /// counts for a table continue after this number. The property is nil if the engine continues
  /// after the greatest key that was ever inserted.
  public var countKeyOn: (@Sendable (_ table: String, _ column: String) -> String)?
  /// The maximum number of bytes of an index entry's value, or nil if there is no maximum. Longer
  /// values are cut, and so are the bounds of a range.
  public var entryBytesMax: Int?
  /// Statements about keys that the engine assigns before other transactions can see their rows.
  /// The property is nil if only one transaction at a time writes.
  public var sharedKeys: SharedKeys?
  /// Whether blocks of record numbers come from the sequence `record_numbers` and not from the
  /// table `record_count`. Several transactions can take numbers from a sequence at the same time.
  public var hasSequences: Bool
  /// Whether one statement should do the work of several, because each statement crosses a network.
  /// Such statements may use PostgreSQL's `WITH` with statements that write.
  public var combinesStatements: Bool
  /// Creates values that are lists. The property is nil if the engine has no such values.
  public var lists: SQLLists?

  public init(
    countedKey: String, givenKey: String, text: String, bytes: String,
    forUpdate: @escaping @Sendable (_ table: String) -> String,
    returning: @escaping @Sendable (_ column: String) -> String, keyedTable: String,
    bounded: @escaping @Sendable (_ text: String, _ column: String, _ bytes: Int) -> String = {
      text, _, _ in text
    },
    countKeyOn: (@Sendable (_ table: String, _ column: String) -> String)? = nil,
    entryBytesMax: Int? = nil, sharedKeys: SharedKeys? = nil, hasSequences: Bool = false,
    combinesStatements: Bool = false, lists: SQLLists? = nil
  ) {
    self.countedKey = countedKey
    self.givenKey = givenKey
    self.text = text
    self.bytes = bytes
    self.forUpdate = forUpdate
    self.returning = returning
    self.keyedTable = keyedTable
    self.bounded = bounded
    self.countKeyOn = countKeyOn
    self.entryBytesMax = entryBytesMax
    self.sharedKeys = sharedKeys
    self.hasSequences = hasSequences
    self.combinesStatements = combinesStatements
    self.lists = lists
  }
}

/// Creates values that are lists, so that one statement with a fixed text handles any number of
/// rows. Each list has the values of one column. A value may be null.
public struct SQLLists: Sendable {
  /// Returns the value for a list of whole numbers.
  public var integers: @Sendable (_ values: [SQLValue]) -> SQLValue
  /// Returns the value for a list of texts or of bytes.
  public var texts: @Sendable (_ values: [SQLValue]) -> SQLValue

  public init(
    integers: @escaping @Sendable (_ values: [SQLValue]) -> SQLValue,
    texts: @escaping @Sendable (_ values: [SQLValue]) -> SQLValue
  ) {
    self.integers = integers
    self.texts = texts
  }
}

/// SQL texts for a table whose primary keys are generated numbers, such as the outbox, if several
/// transactions can take numbers at the same time.
///
/// A transaction holds a lock of the table from before its first number until it ends. So a
/// transaction that holds the lock alone knows that all taken numbers belong to ended transactions.
public struct SharedKeys: Sendable {
  /// A statement that takes the lock of a table together with other transactions that take numbers.
  public var share: @Sendable (_ table: String) -> String
  /// A statement that takes the lock of a table alone.
  public var hold: @Sendable (_ table: String) -> String
  /// A statement that returns the newest number of a table, or 0 if no number was ever taken.
  public var newest: @Sendable (_ table: String, _ column: String) -> String

  public init(
    share: @escaping @Sendable (_ table: String) -> String,
    hold: @escaping @Sendable (_ table: String) -> String,
    newest: @escaping @Sendable (_ table: String, _ column: String) -> String
  ) {
    self.share = share
    self.hold = hold
    self.newest = newest
  }
}
