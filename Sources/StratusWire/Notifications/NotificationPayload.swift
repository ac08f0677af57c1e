/// A notification as it reaches a device: the same form for APNs, the long poll and the stream.
///
/// Source: semantics §19, web-services §5; nothing official documents it.
public struct NotificationPayload: Sendable, Hashable {
  /// What a person sees and hears: the `aps` dictionary.
  public struct Presentation: Sendable, Hashable {
    public var body: String?
    public var localizationKey: String?
    /// The values of the fields that were named.
    public var localizationArgs: [String]?
    public var title: String?
    public var titleLocalizationKey: String?
    public var titleLocalizationArgs: [String]?
    public var subtitle: String?
    public var subtitleLocalizationKey: String?
    public var subtitleLocalizationArgs: [String]?
    public var actionLocalizationKey: String?
    public var launchImage: String?
    public var badge: Int?
    public var soundName: String?
    public var category: String?
    public var isContentAvailable = false
    public var isMutableContent = false

    public init() {}
  }

  /// What happened.
  public enum Event: Sendable, Hashable {
    /// `qry`
    case query(RecordEvent)
    /// `fet`; the zone is nil once it was pruned.
    case zone(subscriptionID: String, ZoneID?, DatabaseScope)
    /// `met`
    case database(subscriptionID: String, DatabaseScope)
    /// None of these: nothing is said of what changed. No server of ours sends it.
    case plain
  }

  public var presentation: Presentation
  /// `cid`; nil once it was pruned.
  public var containerIdentifier: String?
  /// `nid`: one change has one, however many subscriptions it concerns.
  public var notificationID: String
  /// `ckuserid`: whose subscription it is; nil once it was pruned.
  public var userRecordName: String?
  /// `p`: whether something was left out because there was no room.
  public var isPruned: Bool
  public var event: Event

  public init(
    presentation: Presentation = Presentation(), containerIdentifier: String?,
    notificationID: String, userRecordName: String?, isPruned: Bool = false, event: Event
  ) {
    self.presentation = presentation
    self.containerIdentifier = containerIdentifier
    self.notificationID = notificationID
    self.userRecordName = userRecordName
    self.isPruned = isPruned
    self.event = event
  }
}

extension NotificationPayload.Presentation {
  /// Whether it is more than a call to the app; as ``NotificationInfo/isVisible``.
  public var isVisible: Bool {
    hasAlert || badge != nil || soundName != nil || category != nil
  }

  /// Whether there is an `alert`.
  var hasAlert: Bool {
    let texts = [
      body, localizationKey, title, titleLocalizationKey, subtitle, subtitleLocalizationKey,
      actionLocalizationKey, launchImage,
    ]
    return texts.contains { $0 != nil }
  }
}

/// What became of a record that a query subscription watches.
public struct RecordEvent: Sendable, Hashable {
  /// As in `CKQueryNotification.Reason`.
  public enum Reason: Int, Sendable, Hashable { case created = 1, updated, deleted }

  public var subscriptionID: String
  public var scope: DatabaseScope
  /// nil once it was pruned.
  public var reason: Reason?
  /// nil once it was pruned.
  public var recordName: String?
  public var zoneID: ZoneID?
  /// Values of the fields the subscription asks for, in the order of their names.
  public var fields: [(name: String, value: PlainValue)]

  public init(
    subscriptionID: String, scope: DatabaseScope, reason: Reason?, recordName: String?,
    zoneID: ZoneID?, fields: [(name: String, value: PlainValue)] = []
  ) {
    self.subscriptionID = subscriptionID
    self.scope = scope
    self.reason = reason
    self.recordName = recordName
    self.zoneID = zoneID
    self.fields = fields
  }

  public static func == (left: RecordEvent, right: RecordEvent) -> Bool {
    left.subscriptionID == right.subscriptionID && left.scope == right.scope
      && left.reason == right.reason && left.recordName == right.recordName
      && left.zoneID == right.zoneID && left.fields.map(\.name) == right.fields.map(\.name)
      && left.fields.map(\.value) == right.fields.map(\.value)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(subscriptionID)
    hasher.combine(recordName)
  }
}

/// A field's value in a notification: plain JSON without its type.
public enum PlainValue: Sendable, Hashable {
  case string(String)
  case int64(Int64)
  case double(Double)
  /// A place: latitude and longitude in degrees.
  case location(latitude: Double, longitude: Double)
  /// A reference, by its record's name.
  case reference(recordName: String)
}
