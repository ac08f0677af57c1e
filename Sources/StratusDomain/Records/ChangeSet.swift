/// The changes that a batch makes to a zone. A store writes them in one transaction.
public struct ChangeSet: Sendable {
  public var zone: StoredZone
  /// New states and tombstones. Their change numbers follow the zone's newest change without gaps:
  /// `zone.change + 1`, `zone.change + 2` and so on.
  public var records: [StoredRecord]
  /// The ``Passage``s of records in shared hierarchies. A passage has the change number of the
  /// record's state in this set. If the record itself is not in this set, the passage has one of
  /// the numbers after those of ``records``, without gaps.
  public var passages: [Passage]
  /// The changes to the rows that are derived from ``records``.
  public var rows: RowChanges
  /// The zone's new client change token, or nil to keep the present one.
  public var clientChangeToken: String?
  /// The change to add to the outbox, or nil to add none.
  public var watched: WatchedChange?
  /// The time of the change in milliseconds since 1970 UTC, or nil if it is the newest modification
  /// time in ``records``.
  public var time: Int64?

  public init(
    zone: StoredZone, records: [StoredRecord], rows: RowChanges = RowChanges(),
    clientChangeToken: String? = nil, watched: WatchedChange? = nil, passages: [Passage] = [],
    time: Int64? = nil
  ) {
    self.zone = zone
    self.records = records
    self.rows = rows
    self.clientChangeToken = clientChangeToken
    self.watched = watched
    self.passages = passages
    self.time = time
  }

  /// The zone's newest change after this set.
  public var newestChange: Int64 {
    max(zone.change + Int64(records.count), passages.map(\.change).max() ?? 0)
  }
}
