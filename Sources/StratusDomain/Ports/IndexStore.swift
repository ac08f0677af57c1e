/// Reads index entries.
public protocol IndexReading {
  /// The entries of a stretch of an index, in order: by value's bytes, zone, record number;
  /// reversed if the stretch says so.
  ///
  /// Entries of deleted zones are among them until those are purged.
  func entries(
    in range: EntryRange, of database: DatabaseKey, limit: Int
  ) throws(ServerError) -> [FoundEntry]

  /// Records of a type behind a place, over all databases, for an index that is being built; in an
  /// order of the store's own, deleted zones left out.
  ///
  /// - Parameter place: where the step before ended; nil: from the first.
  /// - Parameter limit: how many rows are looked at, of whatever type.
  func recordsToIndex(
    ofType recordType: String, after place: IndexBuildPlace?, limit: Int
  ) throws(ServerError) -> IndexBuildStep
}

/// Makes and fills indexes.
public protocol IndexWriting {
  /// Adds an index to the schema, to be built; changes maintain it from now on.
  ///
  /// - Returns: with its number, which is never given twice in a store.
  func addIndex(
    recordType: String, columns: [IndexColumn]
  ) throws(ServerError) -> QueryIndex

  /// Adds entries of records that stood before the index did; those that are there already stay.
  func add(
    _ entries: [IndexEntry], of zone: Int64, in database: Int64
  ) throws(ServerError)

  /// Keeps how far an index is built; nil: it is ready.
  func setBuildPlace(_ place: IndexBuildPlace?, of index: Int64) throws(ServerError)
}

/// A stretch of one index, behind one place and before another.
public struct EntryRange: Sendable, Hashable {
  public var index: Int64
  /// The first value that belongs to it.
  public var lower: [UInt8]
  /// The first value behind it; nil: it goes to the index's end.
  public var upper: [UInt8]?
  /// Only entries behind this one, in the direction of reading; nil: from the first.
  public var after: EntryPosition?
  /// From the upper end down.
  public var isReversed: Bool

  public init(
    index: Int64, lower: [UInt8], upper: [UInt8]?, after: EntryPosition? = nil,
    isReversed: Bool = false
  ) {
    self.index = index
    self.lower = lower
    self.upper = upper
    self.after = after
    self.isReversed = isReversed
  }
}

/// The place of an entry in its index.
public struct EntryPosition: Sendable, Hashable {
  public var value: [UInt8]
  public var zone: Int64
  /// The record's number.
  public var record: Int64

  public init(value: [UInt8], zone: Int64, record: Int64) {
    self.value = value
    self.zone = zone
    self.record = record
  }
}

/// An entry as it is read.
public typealias FoundEntry = EntryPosition

/// Where the building of an index stands.
public struct IndexBuildPlace: Sendable, Hashable {
  public var database: Int64
  public var zone: Int64
  public var recordName: String

  public init(database: Int64, zone: Int64, recordName: String) {
    self.database = database
    self.zone = zone
    self.recordName = recordName
  }
}

/// Some records for an index that is being built.
public struct IndexBuildStep: Sendable {
  /// A record, and where it lies.
  public struct Item: Sendable {
    public var database: Int64
    public var zone: Int64
    public var record: StoredRecord

    public init(database: Int64, zone: Int64, record: StoredRecord) {
      self.database = database
      self.zone = zone
      self.record = record
    }
  }

  public var items: [Item]
  /// Where the next step goes on; nil: there is no more.
  public var next: IndexBuildPlace?

  public init(items: [Item], next: IndexBuildPlace?) {
    self.items = items
    self.next = next
  }
}
