public import StratusWire

/// Reads who wants to be told of changes.
public protocol SubscriptionReading {
  /// A user's subscription of that ID; nil if there is none.
  func subscription(
    id: String, of user: String, in database: DatabaseView
  ) throws(ServerError) -> StoredSubscription?

  /// A user's subscriptions in a database, in order of their IDs' bytes.
  func subscriptions(
    of user: String, in database: DatabaseView, limit: Int
  ) throws(ServerError) -> [StoredSubscription]

  /// How many subscriptions a user has in a database.
  func subscriptionCount(of user: String, in database: DatabaseView) throws(ServerError) -> Int

  /// The subscriptions of a zone's audience that are filed under a key, in order of their numbers.
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

  /// Whether a subscription of that number is still there.
  func hasSubscription(number: Int64) throws(ServerError) -> Bool

  /// The highest number a subscription of the store has; 0: there is none.
  func newestSubscription() throws(ServerError) -> Int64

  /// Whether a subscription behind that number has replaced another in time to hear of an entry of
  /// the outbox, which a new one is always too late for.
  func hasReplacement(after number: Int64, hearing entry: Int64) throws(ServerError) -> Bool

  /// What of a database is watched.
  func watch(of database: DatabaseKey) throws(ServerError) -> Watch
}

/// Keeps who wants to be told of changes.
public protocol SubscriptionWriting {
  /// As ``SubscriptionReading/watch(of:)``, but remembered from one transaction to the next, so
  /// that a save where nobody watches costs nothing more.
  ///
  /// NB: a store with several writers checks what it remembers against a version in the database's
  /// row, which ``ZoneWriting/lockZone`` reads along.
  func watchForWriting(of database: DatabaseKey) throws(ServerError) -> Watch

  /// Makes a subscription, or replaces the one of the same user and ID.
  ///
  /// It hears of changes left in the outbox from now on; one that replaces another also of those
  /// the other has not heard of yet.
  ///
  /// - Parameters:
  ///   - subscription: with its ID.
  ///   - place: what it is filed under.
  func save(
    _ subscription: Subscription, of user: String, in database: DatabaseView,
    under place: SubscriptionPlace
  ) throws(ServerError)

  /// Removes a subscription.
  ///
  /// - Returns: whether it was there.
  @discardableResult
  func removeSubscription(number: Int64) throws(ServerError) -> Bool
}

/// A subscription as the store keeps it.
public struct StoredSubscription: Sendable, Hashable {
  /// Never given twice in a store, nor kept when the subscription is replaced.
  public var number: Int64
  public var user: String
  /// What it is filed under.
  public var key: SubscriptionKey
  /// The newest entry of the outbox it does not concern any more; 0: there was none.
  public var since: Int64
  /// The subscription as JSON, just as it was sent, with its ID.
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
  /// What the definition says.
  ///
  /// - Throws: `INTERNAL_ERROR` if the store holds something else.
  public func subscription() throws(ServerError) -> Subscription {
    do throws(WireError) { return try Subscription(jsonBytes: definition) } catch {
      throw .fault("a stored subscription cannot be read", facts: ["reason": error.reason])
    }
  }
}
