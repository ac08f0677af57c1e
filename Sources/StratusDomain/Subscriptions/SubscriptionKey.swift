import StratusWire

/// The key under which a subscription is stored. For a change, the server reads only the keys of
/// the subscriptions that the change may concern.
public struct SubscriptionKey: Sendable, Hashable {
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// A key that sorts before all other keys. No subscription is stored under it.
  static let none = SubscriptionKey(bytes: [])

  /// The key of subscriptions to a database.
  public static let database = SubscriptionKey(bytes: [1])

  /// Returns the key of subscriptions to one zone, by the number of the zone.
  public static func zone(_ id: Int64) -> SubscriptionKey {
    SubscriptionKey(bytes: [2] + ColumnBytes.of(.whole(id)))
  }

  /// Returns the key of query subscriptions that require no field value.
  static func recordType(_ type: String) -> SubscriptionKey {
    SubscriptionKey(bytes: [3] + name(type))
  }

  /// Returns the key of query subscriptions that require a field to have this value, or to be a
  /// list that contains the value.
  static func value(_ value: Scalar, of field: String, in type: String) -> SubscriptionKey {
    SubscriptionKey(bytes: [4] + name(type) + name(field) + ColumnBytes.of(value))
  }

  /// Whether query subscriptions are stored under the key.
  var isOfRecords: Bool { bytes.first.map { $0 > 2 } ?? false }

  private static func name(_ name: String) -> [UInt8] { ColumnBytes.of(.text(Array(name.utf8))) }

  func precedes(_ other: SubscriptionKey) -> Bool { bytes.precedes(other.bytes) }
}

/// The key of a subscription, and the kind of data that the key is about.
public struct WatchKey: Sendable, Hashable {
  public var key: SubscriptionKey
  public var subject: WatchSubject

  public init(key: SubscriptionKey, subject: WatchSubject) {
    self.key = key
    self.subject = subject
  }

  public static let database = WatchKey(key: .database, subject: .database)

  public static func zone(_ id: Int64) -> WatchKey {
    WatchKey(key: .zone(id), subject: .zones)
  }
}

/// The kinds of data that keys can be about.
public enum WatchSubject: Sendable, Hashable {
  case database
  case zones
  /// The records of a type.
  ///
  /// - Parameter field: the field whose value the subscriptions require, or nil if they require no
  ///   field value. For a system field, this is the raw value of its `SystemField`.
  case records(type: String, field: String?)
}
