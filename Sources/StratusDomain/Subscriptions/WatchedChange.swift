/// A change that subscriptions may report, with the data that is needed to match them.
public struct WatchedChange: Sendable {
  /// The kind of change to a zone.
  public enum Event: Sendable, Hashable {
    /// Some records of the zone changed.
    ///
    /// - Parameters:
    ///   - recordTypes: the types of the changed records, each once. The list is empty if no record
    ///     itself changed, or if no zone or database subscription watches the zone.
    ///   - hierarchies: the shared hierarchies that the change concerns. A participant of single
    ///     hierarchies is notified only of these.
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
  /// The changed records that query subscriptions may watch. Both states of each record are copied,
  /// because the next change may overwrite them.
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

/// A shared hierarchy that a change concerns.
public struct TouchedHierarchy: Sendable, Hashable {
  public var rootName: String
  /// The types of the records that changed in the hierarchy, joined it or left it. Each type
  /// appears once.
  public var recordTypes: [String]

  public init(rootName: String, recordTypes: [String]) {
    self.rootName = rootName
    self.recordTypes = recordTypes
  }

  /// Returns the hierarchies of the passages, sorted by root.
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
  /// The record name of the user who made the change. It is empty if the server itself moved
  /// records to another hierarchy.
  public var user: String
  /// The user's device that made the change, or nil if the device is not known.
  public var deviceID: String?
  /// The ID of the request, or of the server's step, that made the change. All notifications about
  /// changes of one request or step have the same ID.
  public var notificationID: String
  /// The time of the change, in milliseconds since 1970 UTC.
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
  /// The state before the change, or nil if the record did not exist.
  public var before: StoredRecord?
  /// The state after the change, or nil if the record was deleted.
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

  /// Returns the origin of this request's changes.
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
  /// Returns the types of the changed records that a reader may know of. A participant of
  /// hierarchies knows only the records in these hierarchies, including records that join or leave
  /// them without another change.
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
