/// A change that subscriptions may report, with the data that is needed to match them.
public struct WatchedChange: Sendable {
  /// The kind of change to a zone.
  public enum Event: Sendable, Hashable {
    /// Some records of the zone changed.
    ///
    /// - Parameters:
    ///   - recordTypes: the types of the records, each once; empty: no record changed itself.
    ///   - hierarchies: the shared hierarchies that the change touches. Their participants learn
    ///     of nothing else.
    case recordsChanged(
      ChangeRange, recordTypes: [String], hierarchies: [TouchedHierarchy] = [])
    case zoneMade
    case zoneDeleted
    /// A user joined or left a share of the zone. Only that user gets a notification.
    case participationChanged(user: String)
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

/// A shared hierarchy that a change touches.
public struct TouchedHierarchy: Sendable, Hashable {
  public var rootName: String
  /// The types of the records that changed in it, joined it or left it, each once.
  public var recordTypes: [String]

  public init(rootName: String, recordTypes: [String]) {
    self.rootName = rootName
    self.recordTypes = recordTypes
  }

  /// The hierarchies of passages, sorted by root.
  static func all(in passages: [Passage]) -> [TouchedHierarchy] {
    var types: [ExactName: Set<String>] = [:]
    for passage in passages {
      types[ExactName(passage.rootName), default: []].insert(passage.recordType)
    }
    return types.map { TouchedHierarchy(rootName: $0.key.text, recordTypes: $0.value.sorted()) }
      .sorted { $0.rootName.utf8.lexicographicallyPrecedes($1.rootName.utf8) }
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

extension WatchedChange.Event {
  /// The types of the changed records that a reader may know of. A participant of hierarchies knows
  /// of the records in them only, and sees them move when no record changes itself.
  func recordTypes(visibleTo role: ZoneRole) -> Set<String> {
    guard case .recordsChanged(_, let types, let hierarchies) = self else { return [] }
    guard case .participant(let participation) = role, !participation.showsZone else {
      return Set(types)
    }
    let roots = Set(participation.rootNames.map(ExactName.init))
    return hierarchies.filter { roots.contains(ExactName($0.rootName)) }
      .reduce(into: []) { $0.formUnion($1.recordTypes) }
  }
}
