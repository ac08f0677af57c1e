public import StratusWire

/// Reads the subscriptions to changes.
public protocol SubscriptionReading {
  /// Returns a user's subscription with this ID, or nil if there is none.
  func subscription(
    id: String, of user: String, in database: DatabaseView
  ) throws(ServerError) -> StoredSubscription?

  /// Returns a user's subscriptions in a database, in the byte order of their IDs.
  func subscriptions(
    of user: String, in database: DatabaseView, limit: Int
  ) throws(ServerError) -> [StoredSubscription]

  /// Returns the number of subscriptions that a user has in a database.
  func subscriptionCount(of user: String, in database: DatabaseView) throws(ServerError) -> Int

  /// Returns the size of a user's subscriptions in a database, in bytes of JSON.
  func subscriptionSizeBytes(of user: String, in database: DatabaseView) throws(ServerError) -> Int

  /// Returns the subscriptions that may watch a zone and are stored under a key, in the order of
  /// their numbers.
  ///
  /// These are the subscriptions to the database that contains the zone, and to each shared
  /// database that lists the zone.
  ///
  /// - Parameters:
  ///   - zone: the zone's ``StoredZone/id``.
  ///   - number: only subscriptions with greater numbers are returned. With 0, all are returned.
  func subscriptions(
    under key: SubscriptionKey, toZone zone: Int64, in database: DatabaseKey,
    after number: Int64, limit: Int
  ) throws(ServerError) -> [StoredSubscription]

  /// Whether the subscription with this number still exists.
  func hasSubscription(number: Int64) throws(ServerError) -> Bool

  /// Returns the highest subscription number in the store, or 0 if there is no subscription.
  func newestSubscription() throws(ServerError) -> Int64

  /// Whether a subscription with a number above `number` must be matched with the outbox entry
  /// `entry`. This is possible only for a subscription that replaced an earlier one, because a
  /// replacement inherits ``StoredSubscription/since``. Any other subscription with such a number
  /// is newer than the entry.
  func hasReplacement(after number: Int64, concerning entry: Int64) throws(ServerError) -> Bool

  /// Returns the kinds of changes in a database that subscriptions watch.
  func watch(of database: DatabaseKey) throws(ServerError) -> Watch
}

/// Stores the subscriptions to changes.
public protocol SubscriptionWriting {
  /// Like ``SubscriptionReading/watch(of:)``, but cached between transactions, so that a save in a
  /// database without subscriptions needs no further read.
  ///
  /// NB: a store with several writers checks the cached value against a version in the database's
  /// row. ``ZoneWriting/lockZone(named:in:)`` reads this row anyway.
  func watchForWriting(of database: DatabaseKey) throws(ServerError) -> Watch

  /// Creates a subscription, or replaces the one with the same user and ID.
  ///
  /// From now on, the subscription is matched with all changes that are added to the outbox. A
  /// replacement is also matched with the entries that the replaced subscription was not matched
  /// with yet.
  ///
  /// - Parameters:
  ///   - subscription: the subscription, which must have an ID.
  ///   - watchKey: the key under which matching finds the subscription.
  func save(
    _ subscription: Subscription, of user: String, in database: DatabaseView,
    under watchKey: WatchKey
  ) throws(ServerError)

  /// Removes a subscription.
  ///
  /// - Returns: whether the subscription existed.
  @discardableResult
  func removeSubscription(number: Int64) throws(ServerError) -> Bool
}

/// A subscription in the store.
public struct StoredSubscription: Sendable, Hashable {
  /// A unique number in the store, which is never used again. A replacement gets a new number.
  public var number: Int64
  public var user: String
  /// The key under which the subscription is stored.
  public var key: SubscriptionKey
  /// The number of the newest outbox entry that the subscription does not apply to, or 0 if it
  /// applies to all entries.
  public var since: Int64
  /// The subscription as JSON, with its ID. The server writes this JSON from the decoded request.
  public var definition: [UInt8]

  public init(
    number: Int64, user: String, key: SubscriptionKey, since: Int64, definition: [UInt8]
  ) {
    self.number = number
    self.user = user
    self.key = key
    self.since = since
    self.definition = definition
  }
}

extension StoredSubscription {
  /// Decodes the definition.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored definition cannot be read.
  public func subscription() throws(ServerError) -> Subscription {
    do throws(WireError) { return try Subscription(jsonBytes: definition) } catch {
      throw .fault("a stored subscription cannot be read", facts: ["reason": error.reason])
    }
  }
}
