/// Reads index entries.
public protocol IndexReading {
  /// Returns the entries of an index range, sorted by value bytes, zone and record number. A
  /// reversed range returns them in the opposite order.
  ///
  /// The result includes entries of deleted zones until those zones are purged.
  func entries(
    in range: EntryRange, of database: DatabaseKey, limit: Int
  ) throws(ServerError) -> [FoundEntry]

  /// Returns the indexes of a type that are not ready, with their build positions, in the order of
  /// the indexes' numbers.
  ///
  /// The build positions are not part of the schema, because they change often and every connection
  /// caches the schema.
  func indexBuilds(ofType recordType: String) throws(ServerError) -> [IndexBuild]

  /// Returns the last day on which each index was read, in days since 1970 UTC, by index number.
  func indexUses() throws(ServerError) -> [Int64: Int64]

  /// Returns the number of rows that the build of an index has examined, and the number of rows
  /// that it examines in total. A build examines the records and tombstones of all record types.
  ///
  /// - Parameter limit: the number at which each of the two counts stops.
  /// - Returns: nil if the index is not being built.
  func indexProgress(
    of index: Int64, limit: Int64
  ) throws(ServerError) -> (done: Int64, total: Int64)?

  /// Whether entries of dropped indexes remain.
  func hasDroppedIndexes() throws(ServerError) -> Bool

  /// Returns records of a type after a position, for an index that is being built. They come from
  /// all databases, in the order of positions. Records of deleted zones are left out.
  ///
  /// - Parameter cursor: the position where the previous step ended, or nil to begin at the first
  ///   record.
  /// - Parameter limit: the maximum number of rows to examine, of any type.
  func recordsToIndex(
    ofType recordType: String, after cursor: IndexBuildCursor?, limit: Int
  ) throws(ServerError) -> IndexBuildStep

  /// Returns the records of a zone that changed after a change number, in the order of changes.
  /// They include tombstones and records of other types. An earlier build step may have read a
  /// version that was deleted since then, or was replaced by a record of another type.
  ///
  /// - Returns: nil if the zone is deleted; fewer than `limit` records if they are large.
  func changesToIndex(
    in zone: Int64, of database: Int64, since change: Int64, limit: Int
  ) throws(ServerError) -> IndexBuildChanges?
}

/// Creates and fills indexes.
public protocol IndexWriting {
  /// Adds an index to the schema. The index must still be built, but changes to records update its
  /// entries from now on.
  ///
  /// - Returns: the index with its number. The store never uses the number again.
  func addIndex(
    recordType: String, columns: [IndexColumn]
  ) throws(ServerError) -> QueryIndex

  /// Stores the day on which an index was read, in days since 1970 UTC.
  func noteUse(of index: Int64, day: Int64) throws(ServerError)

  /// Removes a ready index from the schema. ``removeDroppedEntries(limit:)`` removes its entries
  /// later. The method does not change an index that is being built.
  func dropIndex(_ index: Int64) throws(ServerError)

  /// Removes an unfinished index from the schema. ``removeDroppedEntries(limit:)`` removes its
  /// entries later. The method does not change a ready index.
  func cancelIndexBuild(_ index: Int64) throws(ServerError)

  /// Removes some entries of one dropped index. When the last entry is removed, removes the index,
  /// too.
  ///
  /// - Parameter limit: the maximum number of entries to remove, and of databases to search.
  func removeDroppedEntries(limit: Int) throws(ServerError)

  /// Adds entries of records that are older than the index. An entry that already exists stays.
  func add(
    _ entries: [IndexEntry], of zone: Int64, in database: Int64
  ) throws(ServerError)

  /// Stores the build position of an index. A cursor of nil marks the index as ready in the schema.
  func setBuildCursor(_ cursor: IndexBuildCursor?, of index: Int64) throws(ServerError)
}

/// A range of values in one index, and the position after which to read.
public struct EntryRange: Sendable, Hashable {
  public var index: Int64
  /// Entries with smaller values are outside the range.
  public var lower: [UInt8]
  /// The first value after the range, or nil if the range goes to the end of the index.
  public var upper: [UInt8]?
  /// The entry after which to read, in the direction of reading, or nil to begin at the first
  /// entry.
  public var after: EntryPosition?
  /// Whether to read in the opposite direction, from the greatest value down.
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

/// The position of an entry in its index.
public struct EntryPosition: Sendable, Hashable {
  public var value: [UInt8]
  public var zone: Int64
  /// The number that identifies the record in its store.
  public var record: Int64

  public init(value: [UInt8], zone: Int64, record: Int64) {
    self.value = value
    self.zone = zone
    self.record = record
  }
}

/// An entry that a read of an index found.
public typealias FoundEntry = EntryPosition

/// The progress of an index build: the last record that the build has examined.
public struct IndexBuildCursor: Sendable, Hashable {
  public var database: Int64
  public var zone: Int64
  public var recordName: String

  public init(database: Int64, zone: Int64, recordName: String) {
    self.database = database
    self.zone = zone
    self.recordName = recordName
  }
}

extension IndexBuildCursor {
  /// Whether this position comes before the other when all records are read in order.
  public func lies(before other: IndexBuildCursor) -> Bool {
    if database != other.database { return database < other.database }
    if zone != other.zone { return zone < other.zone }
    return recordName.utf8.lexicographicallyPrecedes(other.recordName.utf8)
  }
}

// NB: names are compared by bytes. Names with different bytes belong to different records, even if
// they look alike.
extension IndexBuildCursor {
  public static func == (left: IndexBuildCursor, right: IndexBuildCursor) -> Bool {
    left.database == right.database && left.zone == right.zone
      && ExactName(left.recordName) == ExactName(right.recordName)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(database)
    hasher.combine(zone)
    hasher.combine(ExactName(recordName))
  }
}

/// An index that is being built.
public struct IndexBuild: Sendable, Hashable {
  public var index: Int64
  /// The position up to which all records have their entries, or nil if no record has them yet.
  public var cursor: IndexBuildCursor?

  public init(index: Int64, cursor: IndexBuildCursor?) {
    self.index = index
    self.cursor = cursor
  }
}

/// Some records for an index that is being built.
public struct IndexBuildStep: Sendable {
  /// A record, and the numbers of its database and zone.
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
  /// The newest change number of each zone that has an item, by the number of the zone.
  public var newestChanges: [Int64: Int64]
  /// The position where the next step continues, or nil if there are no more records.
  public var next: IndexBuildCursor?

  public init(items: [Item], newestChanges: [Int64: Int64] = [:], next: IndexBuildCursor?) {
    self.items = items
    self.newestChanges = newestChanges
    self.next = next
  }
}

/// The changes to a zone's records since a step of an index build.
public struct IndexBuildChanges: Sendable {
  public var records: [StoredRecord]
  /// `records` contains all records that changed up to this change number.
  public var change: Int64
  /// Whether there are more changes after ``change``.
  public var hasMore: Bool

  public init(records: [StoredRecord], change: Int64, hasMore: Bool) {
    self.records = records
    self.change = change
    self.hasMore = hasMore
  }
}
