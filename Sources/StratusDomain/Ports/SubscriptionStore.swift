public import StratusWire

/// Reads the subscriptions to changes.
public protocol SubscriptionReading {
  /// A user's subscription with this ID; nil if there is none.
  func subscription(
    id: String, of user: String, in database: DatabaseView
  ) throws(ServerError) -> StoredSubscription?

  /// A user's subscriptions in a database, in the byte order of their IDs.
  func subscriptions(
    of user: String, in database: DatabaseView, limit: Int
  ) throws(ServerError) -> [StoredSubscription]

  /// The number of subscriptions that a user has in a database.
  func subscriptionCount(of user: String, in database: DatabaseView) throws(ServerError) -> Int

  /// The size of a user's subscriptions in a database, as JSON, in bytes.
  func subscriptionSizeBytes(of user: String, in database: DatabaseView) throws(ServerError) -> Int

  /// The subscriptions of a zone's audience that are stored under a key, in the order of their
  /// numbers.
  ///
  /// The audience is the database that holds the zone, and each shared database that lists it.
  ///
  /// - Parameters:
  ///   - zone: the zone's ``StoredZone/id``.
  ///   - number: only subscriptions with greater numbers; 0: from the first.
  func subscriptions(
    under key: SubscriptionKey, toZone zone: Int64, in database: DatabaseKey,
    after number: Int64, limit: Int
  ) throws(ServerError) -> [StoredSubscription]

  /// Whether the subscription with this number still exists.
  func hasSubscription(number: Int64) throws(ServerError) -> Bool

  /// The highest subscription number in the store; 0: there is none.
  func newestSubscription() throws(ServerError) -> Int64

  /// Whether a subscription with a number above `number` must be matched with the outbox entry
  /// `entry`. Only a subscription that replaced an earlier one can be: it inherits
  /// ``StoredSubscription/since``. Any other subscription with such a number is newer than the
  /// entry.
  func hasReplacement(after number: Int64, concerning entry: Int64) throws(ServerError) -> Bool

  /// The kinds of changes in a database that subscriptions watch.
  func watch(of database: DatabaseKey) throws(ServerError) -> Watch
}

/// Stores the subscriptions to changes.
public protocol SubscriptionWriting {
  /// Like ``SubscriptionReading/watch(of:)``, but cached between transactions, so that a save in a
  /// database without subscriptions costs nothing more.
  ///
  /// NB: a store with several writers checks the cached value against a version in the database's
  /// row, which ``ZoneWriting/lockZone`` also reads.
  func watchForWriting(of database: DatabaseKey) throws(ServerError) -> Watch

  /// Creates a subscription, or replaces the one with the same user and ID.
  ///
  /// The subscription is matched with changes that are added to the outbox from now on. A
  /// replacement is also matched with the entries that the replaced subscription was not matched
  /// with yet.
  ///
  /// - Parameters:
  ///   - subscription: must have an ID.
  ///   - watchKey: the key under which matching finds the subscription.
  func save(
    _ subscription: Subscription, of user: String, in database: DatabaseView,
    under watchKey: WatchKey
  ) throws(ServerError)

  /// Removes a subscription.
  ///
  /// - Returns: whether it existed.
  @discardableResult
  func removeSubscription(number: Int64) throws(ServerError) -> Bool
}

/// A subscription in the store.
public struct StoredSubscription: Sendable, Hashable {
  /// Unique in the store, and never reused. A replacement gets a new number.
  public var number: Int64
  public var user: String
  /// The key that the subscription is stored under.
  public var key: SubscriptionKey
  /// The newest outbox entry that the subscription does not apply to; 0: there was none.
  public var since: Int64
  /// The subscription as JSON, exactly as the client sent it, with its ID.
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
