import StratusDomain

/// A user's queue, with those who listen to it.
struct Topic: Hashable, Sendable {
  var store: StoreAddress
  var user: String
}

/// What a hub has to do.
enum HubWork: Sendable {
  case serve(Topic)
  /// A device has all up to a number: to be written to the store.
  case consume(Topic, deviceID: String, through: Int64)
}

/// A listener's place at a topic.
struct Seat {
  let listener: any NotificationListener
  let deviceID: String
  /// How far it is, as it knows itself; holds for those who are not up with the others.
  var ownPlace: Int64
  /// How far it is, since its device has had more by another way. Not less than ``ownPlace``.
  var place: Int64
}

/// Notifications that go to several listeners who are at the same place.
struct Parcel {
  var after: Int64
  var notifications: [QueuedNotification]
  var listeners: [any NotificationListener]
}

/// Listeners by the lane that reaches them.
enum Lanes {
  static func group(
    _ listeners: [any NotificationListener]
  ) -> [(lane: any NotificationLane, listeners: [any NotificationListener])] {
    var groups: [ObjectIdentifier: (any NotificationLane, [any NotificationListener])] = [:]
    for listener in listeners {
      let lane = listener.lane
      groups[ObjectIdentifier(lane), default: (lane, [])].1.append(listener)
    }
    return groups.values.map { (lane: $0.0, listeners: $0.1) }
  }
}
