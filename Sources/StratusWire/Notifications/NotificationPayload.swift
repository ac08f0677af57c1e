/// A notification as a device receives it. APNs, the long poll and the stream use the same form.
///
/// The form was reconstructed from published payloads. No official document describes it.
public struct NotificationPayload: Sendable, Hashable {
  /// The visible and audible part of a notification: the `aps` dictionary.
  public struct Presentation: Sendable, Hashable {
    public var body: String?
    public var localizationKey: String?
    /// The arguments of the localized alert: the values of the record's fields that the
    /// subscription lists.
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
    /// The event of a query subscription. Its key is `qry`.
    case query(RecordEvent)
    /// The event of a zone subscription. Its key is `fet`. The zone is nil if the server left it
    /// out because of the size limit.
    case zone(subscriptionID: String, ZoneID?, DatabaseScope)
    /// The event of a database subscription. Its key is `met`.
    case database(subscriptionID: String, DatabaseScope)
    /// The payload has none of the keys `qry`, `fet` and `met`, so it does not say what changed.
    /// The servers of this project never send such a payload.
    case plain
  }

  public var presentation: Presentation
  /// The container. Its key is `cid`. It is nil if the server left it out because of the size
  /// limit.
  public var containerIdentifier: String?
  /// The ID of the change. Its key is `nid`. Notifications of several subscriptions about one
  /// change have the same ID.
  public var notificationID: String
  /// The owner of the subscription. Its key is `ckuserid`. It is nil if the server left it out
  /// because of the size limit.
  public var userRecordName: String?
  /// Whether parts were left out because of the size limit. The key is `p`.
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

  /// Whether the payload has an `alert`.
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
  /// The kind of change, with the values of `CKQueryNotification.Reason`.
  public enum Reason: Int, Sendable, Hashable { case created = 1, updated, deleted }

  public var subscriptionID: String
  public var scope: DatabaseScope
  /// The kind of change. It is nil if the server left it out because of the size limit.
  public var reason: Reason?
  /// The name of the record. It is nil if the server left it out because of the size limit.
  public var recordName: String?
  public var zoneID: ZoneID?
  /// The values of the fields that the subscription requests, in the order of their names. The list
  /// is empty for a deleted record.
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
  /// A reference, given by the name of its target.
  case reference(recordName: String)
}
