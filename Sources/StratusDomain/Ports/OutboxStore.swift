/// Reads what was left in the outbox: changes that somebody may want to be told of.
public protocol OutboxReading {
  /// Entries in the order they were left, over all databases of the store.
  func outboxEntries(limit: Int) throws(ServerError) -> [OutboxEntry]

  /// What became of one record of an entry; nil: it has none of that position.
  ///
  /// - Parameter position: from 0 to below ``OutboxEntry/imageCount``.
  func recordImage(at position: Int, of entry: Int64) throws(ServerError) -> RecordImage?
}

/// Fills and empties the outbox.
public protocol OutboxWriting {
  /// Leaves a change in the outbox, behind all others.
  func add(_ change: WatchedChange) throws(ServerError)

  /// Keeps how far the matching of an entry has come.
  func setPlace(_ place: OutboxPlace, of entry: Int64) throws(ServerError)

  /// Removes an entry with its images.
  func removeOutboxEntry(_ entry: Int64) throws(ServerError)
}

/// A change that was left in the outbox.
public struct OutboxEntry: Sendable, Hashable {
  /// Grows from entry to entry; never given twice.
  public var number: Int64
  public var database: DatabaseKey
  /// The zone's number, as in ``StoredZone/id``.
  public var zone: Int64
  public var zoneName: String
  public var event: WatchedChange.Event
  public var origin: ChangeOrigin
  public var imageCount: Int
  /// How far its matching has come; nil: it has not begun.
  public var place: OutboxPlace?

  public init(
    number: Int64, database: DatabaseKey, zone: Int64, zoneName: String,
    event: WatchedChange.Event, origin: ChangeOrigin, imageCount: Int, place: OutboxPlace? = nil
  ) {
    self.number = number
    self.database = database
    self.zone = zone
    self.zoneName = zoneName
    self.event = event
    self.origin = origin
    self.imageCount = imageCount
    self.place = place
  }
}

/// How far the matching of an entry has come: which subscription was looked at last.
public struct OutboxPlace: Sendable, Hashable {
  /// −1: the subscriptions to zone and database; from 0 on: those that concern a record.
  public var position: Int
  /// Keys are gone through in the order of their bytes; empty: none has been yet.
  public var key: SubscriptionKey
  /// The number of the last subscription under that key; 0: none yet.
  public var subscription: Int64

  public init(position: Int, key: SubscriptionKey, subscription: Int64) {
    self.position = position
    self.key = key
    self.subscription = subscription
  }
}
