/// A change that subscriptions may report, with the data that is needed to match them.
public struct WatchedChange: Sendable {
  /// The kind of change to a zone.
  public enum Event: Sendable, Hashable {
    /// Some records of the zone changed.
    ///
    /// - Parameter recordTypes: the types of the records, each once.
    case recordsChanged(ChangeRange, recordTypes: [String])
    case zoneMade
    case zoneDeleted
  }

  public var zone: StoredZone
  public var event: Event
  public var origin: ChangeOrigin
  /// The changed records that query subscriptions may concern. Both states of each record are
  /// copied, since the next change may overwrite them.
  public var images: [RecordImage]

  public init(
    zone: StoredZone, event: Event, origin: ChangeOrigin, images: [RecordImage] = []
  ) {
    self.zone = zone
    self.event = event
    self.origin = origin
    self.images = images
  }
}

/// The origin of a change.
public struct ChangeOrigin: Sendable, Hashable {
  /// A user record name.
  public var user: String
  /// The user's device that made the change; nil: the request did not name it.
  public var deviceID: String?
  /// Identifies the request. All notifications about its changes share it.
  public var notificationID: String
  /// Milliseconds since 1970 UTC.
  public var time: Int64

  public init(user: String, deviceID: String?, notificationID: String, time: Int64) {
    self.user = user
    self.deviceID = deviceID
    self.notificationID = notificationID
    self.time = time
  }
}

/// A record before and after a change.
public struct RecordImage: Sendable, Hashable {
  /// nil: the record did not exist.
  public var before: StoredRecord?
  /// nil: the record was deleted.
  public var after: StoredRecord?

  public init(before: StoredRecord?, after: StoredRecord?) {
    self.before = before
    self.after = after
  }

  /// The newest state that exists.
  var newest: StoredRecord? { after ?? before }
}

extension Caller {
  /// The name that the router gives to a device without a name.
  public static let namelessDeviceID = "1"

  /// The origin of this request's changes.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  /// - Throws: `AUTHENTICATION_REQUIRED` if the caller is not signed in.
  func origin(now: Int64) throws(ServerError) -> ChangeOrigin {
    ChangeOrigin(
      user: try requireUser(), deviceID: deviceID == Self.namelessDeviceID ? nil : deviceID,
      notificationID: requestUUID, time: now)
  }
}
