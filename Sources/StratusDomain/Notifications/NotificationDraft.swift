public import StratusWire

/// A match of a subscription with a change, from which a notification is made.
public struct NotificationDraft: Sendable {
  /// The changed record that matched a query subscription.
  public struct Record: Sendable {
    public var reason: RecordEvent.Reason
    public var name: String
    /// The fields after the change, or the fields before it if the record was deleted.
    public var fields: FieldsJSON

    public init(reason: RecordEvent.Reason, name: String, fields: FieldsJSON) {
      self.reason = reason
      self.name = name
      self.fields = fields
    }
  }

  public var containerIdentifier: String
  public var notificationID: String
  /// The user record name of the subscriber.
  public var user: String
  /// The matched subscription, including its ID.
  public var subscription: Subscription
  public var scope: DatabaseScope
  /// The zone of the change, or nil if the subscription is to a database. If the user owns the
  /// zone, the zone ID has no owner.
  public var zoneID: ZoneID?
  /// The changed record. It is nil unless the subscription is to a query.
  public var record: Record?

  public init(
    containerIdentifier: String, notificationID: String, user: String,
    subscription: Subscription, scope: DatabaseScope, zoneID: ZoneID?, record: Record? = nil
  ) {
    self.containerIdentifier = containerIdentifier
    self.notificationID = notificationID
    self.user = user
    self.subscription = subscription
    self.scope = scope
    self.zoneID = zoneID
    self.record = record
  }
}

extension NotificationDraft {
  /// Whether the notification increments the number on the app's icon. ``payload()`` does not
  /// contain that number.
  public var shouldBadge: Bool { subscription.notificationInfo?.shouldBadge ?? false }

  /// Whether the user neither sees nor hears the notification.
  public var isSilent: Bool { !(subscription.notificationInfo?.isVisible ?? false) }

  /// The key for coalescing, or nil if the notification replaces no other. The notification
  /// replaces earlier notifications of the same user with the same key.
  ///
  /// Choice: notifications of one silent zone or database subscription replace each other, because
  /// each only says that there are changes to fetch. `collapseIDKey` names a field, as in Apple's
  /// header, and the value of that field is the key. Only a notification of a query subscription
  /// is about one record, so only such a notification can have a key from `collapseIDKey`.
  public var coalescingKey: String? {
    switch subscription.subject {
    case .zone, .database:
      if !isSilent { return nil }
      return subscription.id.map { "sub:\(scope.rawValue):\($0)" }
    case .query:
      guard let name = subscription.notificationInfo?.collapseIDKey, let record,
        let value = (try? record.fields.values(of: [name]))?[name]?.inText, !value.isEmpty
      else { return nil }
      return "collapse:" + value
    }
  }

  /// Returns the complete notification. Each channel reduces it to its own maximum size.
  ///
  /// - Throws: `INTERNAL_ERROR` if the subscription has no ID, if a query match has no record, or
  ///   if the fields of the record cannot be read.
  public func payload() throws(ServerError) -> NotificationPayload {
    let info = subscription.notificationInfo
    let values = try self.values(named: info)
    var presentation = NotificationPayload.Presentation()
    if let info { presentation.show(info, of: values) }
    presentation.isContentAvailable = isSilent || info?.shouldSendContentAvailable == true
    presentation.isMutableContent = info?.shouldSendMutableContent ?? false
    return NotificationPayload(
      presentation: presentation, containerIdentifier: containerIdentifier,
      notificationID: notificationID, userRecordName: user, event: try event(values))
  }

  private func event(
    _ values: [String: FieldValue]
  ) throws(ServerError) -> NotificationPayload.Event {
    guard let id = subscription.id else { throw .fault("a subscription without an ID matched") }
    switch subscription.subject {
    case .query:
      guard let record else { throw .fault("a query subscription matched no record") }
      var fields: [(name: String, value: PlainValue)] = []
      // As Apple documents, the fields of a deleted record are empty.
      if record.reason != .deleted {
        let names = Set(subscription.notificationInfo?.additionalFields ?? [])
        for name in names.sorted() {
          if let value = values[name]?.inNotification { fields.append((name, value)) }
        }
      }
      return .query(
        RecordEvent(
          subscriptionID: id, scope: scope, reason: record.reason, recordName: record.name,
          zoneID: zoneID, fields: fields))
    case .zone(let watched, _):
      return .zone(subscriptionID: id, zoneID ?? watched, scope)
    case .database:
      return .database(subscriptionID: id, scope)
    }
  }

  /// Returns the values of the fields that the subscription lists.
  private func values(
    named info: NotificationInfo?
  ) throws(ServerError) -> [String: FieldValue] {
    guard let info, let record else { return [:] }
    let lists = [
      info.alertLocalizationArgs, info.titleLocalizationArgs, info.subtitleLocalizationArgs,
      info.additionalFields,
    ]
    let names = Set(lists.flatMap { $0 ?? [] })
    do throws(WireError) { return try record.fields.values(of: names) } catch {
      throw .fault("a record's fields cannot be read", facts: ["reason": error.reason])
    }
  }
}

extension NotificationPayload.Presentation {
  /// Copies the visible parts of a subscription's notification settings.
  ///
  /// Choice: if a text and the key of its translation are given, both are sent. The device prefers
  /// the key, as Apple documents, and CloudKit JS knows only the text.
  fileprivate mutating func show(_ info: NotificationInfo, of values: [String: FieldValue]) {
    // Choice: a field without a value, or with a value that has no text, becomes an empty text, so
    // that later arguments keep their positions.
    func texts(_ names: [String]?) -> [String]? { names?.map { values[$0]?.inText ?? "" } }
    body = info.alertBody
    localizationKey = info.alertLocalizationKey
    localizationArgs = texts(info.alertLocalizationArgs)
    title = info.title
    titleLocalizationKey = info.titleLocalizationKey
    titleLocalizationArgs = texts(info.titleLocalizationArgs)
    subtitle = info.subtitle
    subtitleLocalizationKey = info.subtitleLocalizationKey
    subtitleLocalizationArgs = texts(info.subtitleLocalizationArgs)
    actionLocalizationKey = info.alertActionLocalizationKey
    launchImage = info.alertLaunchImage
    soundName = info.soundName
    category = info.category
  }
}
