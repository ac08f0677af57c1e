/// Reads the outbox: changes that subscriptions may have to report.
public protocol OutboxReading {
  /// Returns the entries of all databases of the store, in the order in which they were added.
  func outboxEntries(limit: Int) throws(ServerError) -> [OutboxEntry]

  /// Returns the image of one changed record of an entry, or nil if the entry has no image at that
  /// position.
  ///
  /// - Parameter position: a number from 0 to ``OutboxEntry/imageCount`` − 1.
  func recordImage(at position: Int, of entry: Int64) throws(ServerError) -> RecordImage?
}

/// Adds and removes outbox entries.
public protocol OutboxWriting {
  /// Appends a change to the outbox.
  func add(_ change: WatchedChange) throws(ServerError)

  /// Stores how far an entry has been matched with subscriptions.
  func setCursor(_ cursor: OutboxCursor, of entry: Int64) throws(ServerError)

  /// Removes an entry and its record images.
  func removeOutboxEntry(_ entry: Int64) throws(ServerError)
}

/// A change in the outbox.
public struct OutboxEntry: Sendable, Hashable {
  /// The number of the entry. Numbers increase from entry to entry, and are never used again.
  public var number: Int64
  public var database: DatabaseKey
  /// The zone's number, as in ``StoredZone/id``.
  public var zone: Int64
  public var zoneName: String
  public var event: WatchedChange.Event
  public var origin: ChangeOrigin
  public var imageCount: Int
  /// How far the entry has been matched with subscriptions, or nil if the matching has not begun.
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

/// How far an entry has been matched: the subscription that was examined last.
public struct OutboxCursor: Sendable, Hashable {
  /// The position of the record image whose query subscriptions are examined. The position −1 means
  /// the subscriptions to zones and databases.
  public var position: Int
  /// The last key examined, or the empty key if there is none yet. Keys are examined in byte order.
  public var key: SubscriptionKey
  /// The number of the last subscription examined under that key, or 0 if there is none yet.
  public var subscription: Int64

  public init(position: Int, key: SubscriptionKey, subscription: Int64) {
    self.position = position
    self.key = key
    self.subscription = subscription
  }
}
