/// What a decided batch does to a zone, to be written as a whole.
public struct ChangeSet: Sendable {
  public var zone: StoredZone
  /// New states and tombstones. They and ``passages`` have a change number each, which follow on
  /// from the zone's: `zone.change + 1, + 2, …`.
  public var records: [StoredRecord]
  /// Records that participants see from now on, or no longer.
  public var passages: [Passage]
  /// What becomes of the rows derived from those records.
  public var rows: RowChanges
  /// Replaces the zone's; nil: leaves it.
  public var clientChangeToken: String?
  /// What of it is left in the outbox; nil: nobody watches.
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
  public var newestChange: Int64 { zone.change + Int64(records.count + passages.count) }
}
