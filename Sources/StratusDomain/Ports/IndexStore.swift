/// Reads index entries.
public protocol IndexReading {
  /// The entries of a stretch of an index, in order: by value's bytes, zone, record number;
  /// reversed if the stretch says so.
  ///
  /// Entries of deleted zones are among them until those are purged.
  func entries(
    in range: EntryRange, of database: DatabaseKey, limit: Int
  ) throws(ServerError) -> [FoundEntry]

  /// The indexes of a type that are not ready, each with how far it is built, in order of numbers.
  ///
  /// They stand apart from the schema, which every session remembers until it changes.
  func indexBuilds(ofType recordType: String) throws(ServerError) -> [IndexBuild]

  /// The day on which each index was last noted to be read, since 1970 UTC.
  func indexUses() throws(ServerError) -> [Int64: Int64]

  /// Whether entries of dropped indexes are left.
  func hasDroppedIndexes() throws(ServerError) -> Bool

  /// Records of a type behind a place, over all databases, for an index that is being built; in the
  /// order of their places, deleted zones left out.
  ///
  /// - Parameter place: where the step before ended; nil: from the first.
  /// - Parameter limit: how many rows are looked at, of whatever type.
  func recordsToIndex(
    ofType recordType: String, after place: IndexBuildPlace?, limit: Int
  ) throws(ServerError) -> IndexBuildStep

  /// The records of a zone that were changed behind a change, of whatever type, tombstones too, in
  /// order of changes: what is not as a step of a build saw it.
  ///
  /// - Returns: nil if the zone is deleted; fewer than `limit` where records are large.
  func changesToIndex(
    in zone: Int64, of database: Int64, since change: Int64, limit: Int
  ) throws(ServerError) -> IndexBuildChanges?
}

/// Makes and fills indexes.
public protocol IndexWriting {
  /// Adds an index to the schema, to be built; changes maintain it from now on.
  ///
  /// - Returns: with its number, which is never given twice in a store.
  func addIndex(
    recordType: String, columns: [IndexColumn]
  ) throws(ServerError) -> QueryIndex

  /// Notes that an index was read on a day.
  func noteUse(of index: Int64, day: Int64) throws(ServerError)

  /// Takes a ready index out of the schema; its entries go later, by
  /// ``removeDroppedEntries(limit:)``. Does nothing to an index that is being built.
  func dropIndex(_ index: Int64) throws(ServerError)

  /// Removes some entries of one dropped index, and the index with the last of them.
  ///
  /// - Parameter limit: how many entries, and databases, at most.
  func removeDroppedEntries(limit: Int) throws(ServerError)

  /// Adds entries of records that stood before the index did; those that are there already stay.
  func add(
    _ entries: [IndexEntry], of zone: Int64, in database: Int64
  ) throws(ServerError)

  /// Keeps how far an index is built; nil: it is ready, which the schema says from then on.
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

extension IndexBuildPlace {
  /// Whether a walk over all records comes by this place first.
  public func lies(before other: IndexBuildPlace) -> Bool {
    if database != other.database { return database < other.database }
    if zone != other.zone { return zone < other.zone }
    return recordName.utf8.lexicographicallyPrecedes(other.recordName.utf8)
  }
}

// NB: names by their bytes: two that only look alike are two records.
extension IndexBuildPlace {
  public static func == (left: IndexBuildPlace, right: IndexBuildPlace) -> Bool {
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
  /// Up to where older records have their entries; nil: none has.
  public var place: IndexBuildPlace?

  public init(index: Int64, place: IndexBuildPlace?) {
    self.index = index
    self.place = place
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
  /// The newest change of each zone that an item lies in, by the zone's number.
  public var newestChanges: [Int64: Int64]
  /// Where the next step goes on; nil: there is no more.
  public var next: IndexBuildPlace?

  public init(items: [Item], newestChanges: [Int64: Int64] = [:], next: IndexBuildPlace?) {
    self.items = items
    self.newestChanges = newestChanges
    self.next = next
  }
}

/// What became of a zone's records since a step of a build.
public struct IndexBuildChanges: Sendable {
  public var records: [StoredRecord]
  /// The change up to which these are all.
  public var change: Int64
  /// Whether there are more behind it.
  public var hasMore: Bool

  public init(records: [StoredRecord], change: Int64, hasMore: Bool) {
    self.records = records
    self.change = change
    self.hasMore = hasMore
  }
}
