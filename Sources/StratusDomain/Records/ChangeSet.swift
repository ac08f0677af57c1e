/// The changes that a batch makes to a zone. They are written as a whole.
public struct ChangeSet: Sendable {
  public var zone: StoredZone
  /// New states and tombstones, with consecutive change numbers after that of the zone:
  /// `zone.change + 1, + 2, …`.
  public var records: [StoredRecord]
  /// The passages of records in shared hierarchies. A passage has the change number of the record's
  /// state in this set. If the record itself is not in this set, the passage has one of the numbers
  /// after those of ``records``, without gaps.
  public var passages: [Passage]
  /// The changes to the rows derived from those records.
  public var rows: RowChanges
  /// Replaces the zone's token; nil: does not change it.
  public var clientChangeToken: String?
  /// The change to add to the outbox; nil: no subscription watches for it.
  public var watched: WatchedChange?

  public init(
    zone: StoredZone, records: [StoredRecord], rows: RowChanges = RowChanges(),
    clientChangeToken: String? = nil, watched: WatchedChange? = nil, passages: [Passage] = []
  ) {
    self.zone = zone
    self.records = records
    self.rows = rows
    self.clientChangeToken = clientChangeToken
    self.watched = watched
    self.passages = passages
  }

  /// The zone's newest change after this set.
  public var newestChange: Int64 {
    max(zone.change + Int64(records.count), passages.map(\.change).max() ?? 0)
  }
}
