/// A change of which somebody may want to be told, with all that is needed to find out who.
public struct WatchedChange: Sendable {
  /// What happened to a zone.
  public enum Event: Sendable, Hashable {
    /// Some of its records changed.
    ///
    /// - Parameter recordTypes: theirs, each once.
    case recordsChanged(ChangeRange, recordTypes: [String])
    case zoneMade
    case zoneDeleted
  }

  public var zone: StoredZone
  public var event: Event
  public var origin: ChangeOrigin
  /// What became of the records that query subscriptions may concern, since the next change may
  /// overwrite both states.
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

/// Where a change came from.
public struct ChangeOrigin: Sendable, Hashable {
  /// A user record name.
  public var user: String
  /// The user's device that made it; nil: it did not say which it was.
  public var deviceID: String?
  /// One request has one, whatever it changes; all its notifications share it.
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
  /// nil: there was none.
  public var before: StoredRecord?
  /// nil: there is none any more.
  public var after: StoredRecord?

  public init(before: StoredRecord?, after: StoredRecord?) {
    self.before = before
    self.after = after
  }

  /// The later state there is.
  var newest: StoredRecord? { after ?? before }
}

extension Caller {
  /// What the router calls a device that does not say its name.
  public static let namelessDeviceID = "1"

  /// Where the changes of this request come from.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  /// - Throws: `AUTHENTICATION_REQUIRED` if nobody is signed in.
  func origin(now: Int64) throws(ServerError) -> ChangeOrigin {
    ChangeOrigin(
      user: try requireUser(), deviceID: deviceID == Self.namelessDeviceID ? nil : deviceID,
      notificationID: requestUUID, time: now)
  }
}
