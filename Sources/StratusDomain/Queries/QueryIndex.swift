public import StratusWire

/// An index in the store. It has entries for the records of one type, in the order of its columns.
///
/// The index marks of a field (``FieldIndexes``) say which queries are legal. The server creates an
/// index only when a query needs it, with the columns that answer that query.
public struct QueryIndex: Sendable, Hashable {
  /// The number of the index in the store.
  public var id: Int64
  public var recordType: String
  public var columns: [IndexColumn]
  /// Whether every record has its entries in the index.
  public var isReady: Bool

  public init(id: Int64, recordType: String, columns: [IndexColumn], isReady: Bool) {
    self.id = id
    self.recordType = recordType
    self.columns = columns
    self.isReady = isReady
  }
}

/// One column of an index.
public struct IndexColumn: Sendable, Hashable {
  /// The value that a column is built from.
  public enum Source: Sendable, Hashable {
    case field(String)
    case system(SystemField)
    /// All searchable fields together.
    case searchableFields
  }

  /// The way a column transforms that value.
  public enum Form: String, Sendable, Hashable {
    /// An entry has the value. A record without a value has an entry before all others.
    case value
    /// An entry has the value, in the opposite sort order.
    case descendingValue
    /// There is an entry for each member of a list. An empty list has no entry.
    case member
    /// There is an entry for each token of a text (see ``Tokens``). A text without words has no
    /// entry.
    case token
    /// There is an entry for each token of a text. The tokens follow older rules, which made no
    /// tokens for scripts without spaces. No query reads such an index, records get no new entries
    /// in it, and it will be dropped.
    case earlierToken
    /// An entry has the cell of a location. A record without a value has an entry before all
    /// others. A list has an entry for each cell of its locations. An empty list has no entry.
    case cell
  }

  public var source: Source
  public var form: Form

  public init(_ source: Source, _ form: Form = .value) {
    self.source = source
    self.form = form
  }
}

/// One entry of an index.
public struct IndexEntry: Sendable, Hashable {
  public var index: Int64
  /// The bytes of the columns, which sort as the values do.
  public var value: [UInt8]
  /// The number of the record in the store.
  public var record: Int64

  public init(index: Int64, value: [UInt8], record: Int64) {
    self.index = index
    self.value = value
    self.record = record
  }
}
