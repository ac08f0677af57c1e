/// Reads the outbox: changes that subscriptions may have to report.
public protocol OutboxReading {
  /// The entries in the order in which they were added, over all databases of the store.
  func outboxEntries(limit: Int) throws(ServerError) -> [OutboxEntry]

  /// The image of one changed record of an entry; nil: the entry has none at that position.
  ///
  /// - Parameter position: from 0 to below ``OutboxEntry/imageCount``.
  func recordImage(at position: Int, of entry: Int64) throws(ServerError) -> RecordImage?
}

/// Adds and removes outbox entries.
public protocol OutboxWriting {
  /// Appends a change to the outbox.
  func add(_ change: WatchedChange) throws(ServerError)

  /// Stores how far the matching of an entry has come.
  func setCursor(_ cursor: OutboxCursor, of entry: Int64) throws(ServerError)

  /// Removes an entry with its images.
  func removeOutboxEntry(_ entry: Int64) throws(ServerError)
}

/// A change in the outbox.
public struct OutboxEntry: Sendable, Hashable {
  /// Increases from entry to entry, and is never reused.
  public var number: Int64
  public var database: DatabaseKey
  /// The zone's number, as in ``StoredZone/id``.
  public var zone: Int64
  public var zoneName: String
  public var event: WatchedChange.Event
  public var origin: ChangeOrigin
  public var imageCount: Int
  /// How far the matching of the entry has come; nil: it has not begun.
  public var cursor: OutboxCursor?

  public init(
    number: Int64, database: DatabaseKey, zone: Int64, zoneName: String,
    event: WatchedChange.Event, origin: ChangeOrigin, imageCount: Int, cursor: OutboxCursor? = nil
  ) {
    self.number = number
    self.database = database
    self.zone = zone
    self.zoneName = zoneName
    self.event = event
    self.origin = origin
    self.imageCount = imageCount
    self.cursor = cursor
  }
}

/// The progress of matching an entry: the subscription that was examined last.
public struct OutboxCursor: Sendable, Hashable {
  /// −1: the subscriptions to zones and databases. 0 or more: the query subscriptions that concern
  /// the record image at this position.
  public var position: Int
  /// The last key examined. Keys are examined in byte order; empty: none yet.
  public var key: SubscriptionKey
  /// The number of the last subscription examined under that key; 0: none yet.
  public var subscription: Int64

  public init(position: Int, key: SubscriptionKey, subscription: Int64) {
    self.position = position
    self.key = key
    self.subscription = subscription
  }
}
