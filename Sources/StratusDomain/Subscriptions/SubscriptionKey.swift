import StratusWire

/// What a subscription is filed under, so that a change finds those it may concern, and no others.
public struct SubscriptionKey: Sendable, Hashable {
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Before all others; nothing is filed under it.
  static let none = SubscriptionKey(bytes: [])

  /// Subscriptions to a database.
  public static let database = SubscriptionKey(bytes: [1])

  /// Subscriptions to one zone, by its number.
  public static func zone(_ id: Int64) -> SubscriptionKey {
    SubscriptionKey(bytes: [2] + ColumnBytes.of(.whole(id)))
  }

  /// Query subscriptions that ask for no field's value.
  static func recordType(_ type: String) -> SubscriptionKey {
    SubscriptionKey(bytes: [3] + name(type))
  }

  /// Query subscriptions that ask for a value, or for a list that has it as a member.
  static func value(_ value: Scalar, of field: String, in type: String) -> SubscriptionKey {
    SubscriptionKey(bytes: [4] + name(type) + name(field) + ColumnBytes.of(value))
  }

  /// Whether query subscriptions are filed under it.
  var isOfRecords: Bool { bytes.first.map { $0 > 2 } ?? false }

  private static func name(_ name: String) -> [UInt8] { ColumnBytes.of(.text(Array(name.utf8))) }

  func precedes(_ other: SubscriptionKey) -> Bool { bytes.precedes(other.bytes) }
}

/// Where a subscription is filed: its key, and what that key is about.
public struct SubscriptionPlace: Sendable, Hashable {
  public var key: SubscriptionKey
  public var subject: WatchSubject

  public init(key: SubscriptionKey, subject: WatchSubject) {
    self.key = key
    self.subject = subject
  }

  public static let database = SubscriptionPlace(key: .database, subject: .database)

  public static func zone(_ id: Int64) -> SubscriptionPlace {
    SubscriptionPlace(key: .zone(id), subject: .zones)
  }
}

/// What keys can be about.
public enum WatchSubject: Sendable, Hashable {
  case database
  case zones
  /// Records of a type.
  ///
  /// - Parameter field: the field whose values are keys, a system field by its raw value; nil: all
  ///   of the type.
  case records(type: String, field: String?)
}
