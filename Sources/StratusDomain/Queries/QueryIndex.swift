public import StratusWire

/// An index that is kept: an entry for each record of its type, in the order of its columns.
///
/// What a field is *marked* for (``FieldIndexes``) says which queries are legal; an index is kept
/// only once such a query has come, in the shape that answers it.
public struct QueryIndex: Sendable, Hashable {
  /// Its number in the store.
  public var id: Int64
  public var recordType: String
  public var columns: [IndexColumn]
  /// Whether every record has its entries.
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
  /// What the column looks at.
  public enum Source: Sendable, Hashable {
    case field(String)
    case system(SystemField)
    /// All searchable fields together.
    case searchableFields
  }

  /// What the column makes of it.
  public enum Form: String, Sendable, Hashable {
    /// The value; a record without one has an entry, too, before all others.
    case value
    /// The value, in the opposite order.
    case descendingValue
    /// Each member of a list; an empty list has no entry.
    case member
    /// Each token of a text, folded; a text without words has no entry.
    case token
    /// Tokens of a text by the rules before unspaced scripts had any. No query reads such an index,
    /// records get no new entries in it, and it is dropped.
    case earlierToken
    /// The cell of a place, before all others that of a record without one; each cell of a list's
    /// places, none of an empty or missing one.
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
  /// The columns' bytes, which sort as the values do.
  public var value: [UInt8]
  /// The record's number.
  public var record: Int64

  public init(index: Int64, value: [UInt8], record: Int64) {
    self.index = index
    self.value = value
    self.record = record
  }
}
