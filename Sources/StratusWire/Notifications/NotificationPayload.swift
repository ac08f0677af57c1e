/// A notification as a device receives it. APNs, the long poll and the stream use the same form.
///
/// Source: semantics §19, web-services §5. No official document describes it.
public struct NotificationPayload: Sendable, Hashable {
  /// The visible and audible part of a notification: the `aps` dictionary.
  public struct Presentation: Sendable, Hashable {
    public var body: String?
    public var localizationKey: String?
    /// The values of the fields that the subscription names.
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

  /// The event that caused the notification.
  public enum Event: Sendable, Hashable {
    /// `qry`
    case query(RecordEvent)
    /// `fet`; the zone is nil if it was pruned.
    case zone(subscriptionID: String, ZoneID?, DatabaseScope)
    /// `met`
    case database(subscriptionID: String, DatabaseScope)
    /// The payload has none of these keys and does not say what changed. Our servers never send
    /// such a payload.
    case plain
  }

  public var presentation: Presentation
  /// `cid`; nil if it was pruned.
  public var containerIdentifier: String?
  /// `nid`: identifies one change, even if the change concerns several subscriptions.
  public var notificationID: String
  /// `ckuserid`: the owner of the subscription. nil if it was pruned.
  public var userRecordName: String?
  /// `p`: whether parts were left out because of the size limit.
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
  /// Whether the user sees or hears the notification. See ``NotificationInfo/isVisible``.
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

/// The event of a record that a query subscription watches.
public struct RecordEvent: Sendable, Hashable {
  /// As in `CKQueryNotification.Reason`.
  public enum Reason: Int, Sendable, Hashable { case created = 1, updated, deleted }

  public var subscriptionID: String
  public var scope: DatabaseScope
  /// nil if it was pruned.
  public var reason: Reason?
  /// nil if it was pruned.
  public var recordName: String?
  public var zoneID: ZoneID?
  /// The values of the fields that the subscription requests, in the order of their names.
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
  /// A location, with latitude and longitude in degrees.
  case location(latitude: Double, longitude: Double)
  /// A reference, by the name of its record.
  case reference(recordName: String)
}
