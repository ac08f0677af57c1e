import StratusDomain

/// The key of a user's queue, to which listeners subscribe.
struct Topic: Hashable, Sendable {
  var store: StoreAddress
  var user: String
}

/// A work item of a hub.
enum HubWork: Sendable {
  case serve(Topic)
  /// A device has acknowledged all notifications up to a number; the store must record it.
  case consume(Topic, deviceID: String, through: Int64)
}

/// A listener's position in a topic.
struct SubscribedListener {
  let listener: any NotificationListener
  let deviceID: String
  /// The session in which the listener listens; nil: it has none.
  var sessionID: String?
  /// The last number that the listener knows. Used until the listener has caught up with the
  /// others.
  var ownPosition: Int64
  /// The last number that the device has received on any connection. It is never less than
  /// ``ownPosition``.
  var position: Int64
}

/// Notifications for several listeners at the same position.
struct PositionedDelivery {
  var after: Int64
  var notifications: [QueuedNotification]
  var listeners: [any NotificationListener]
}

/// Divides listeners into their delivery groups.
enum DeliveryGroups {
  static func batches(
    _ listeners: [any NotificationListener]
  ) -> [(group: any DeliveryGroup, listeners: [any NotificationListener])] {
    var groups: [ObjectIdentifier: (any DeliveryGroup, [any NotificationListener])] = [:]
    for listener in listeners {
      let group = listener.group
      groups[ObjectIdentifier(group), default: (group, [])].1.append(listener)
    }
    return groups.values.map { (group: $0.0, listeners: $0.1) }
  }
}
