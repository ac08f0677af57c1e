import StratusDomain

/// The store and the user of a notification queue, to which listeners subscribe.
struct Topic: Hashable, Sendable {
  var store: StoreAddress
  var user: String
}

/// Work that a ``Hub`` has to do: to read a queue, or to store an acknowledgement.
enum HubWork: Sendable {
  case serve(Topic)
  /// A device has acknowledged all notifications up to this number. The number must be stored.
  case consume(Topic, deviceID: String, through: Int64)
}

/// A listener, with its position in the queue of a topic.
struct SubscribedListener {
  let listener: any NotificationListener
  let deviceID: String
  /// The session of the listener, or nil if the listener has no session.
  var sessionID: String?
  /// The number of the last notification that the listener knows. It is used until the listener has
  /// caught up with the other listeners.
  var ownPosition: Int64
  /// The number of the last notification that the device has received on any connection. It is
  /// never less than ``ownPosition``.
  var position: Int64
}

/// Notifications for several listeners that have the same position.
struct PositionedDelivery {
  var after: Int64
  var notifications: [QueuedNotification]
  var listeners: [any NotificationListener]
}

/// Divides listeners by their delivery groups.
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
