public import StratusWire

/// What a subscription found, before it is a notification.
public struct NotificationDraft: Sendable {
  /// What became of the record a query subscription watches.
  public struct Record: Sendable {
    public var reason: RecordEvent.Reason
    public var name: String
    /// As the change left the record; for a deletion, as it was before.
    public var fields: FieldsJSON

    public init(reason: RecordEvent.Reason, name: String, fields: FieldsJSON) {
      self.reason = reason
      self.name = name
      self.fields = fields
    }
  }

  public var containerIdentifier: String
  public var notificationID: String
  /// User record name of whose subscription it is.
  public var user: String
  /// With its ID.
  public var subscription: Subscription
  public var scope: DatabaseScope
  /// Where the change was; its owner is nil if it is the user's own. nil: a database subscription.
  public var zoneID: ZoneID?
  /// nil unless it is a query subscription.
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
  /// Whether the number on the app's icon grows with it; ``payload()`` does not know the number.
  public var shouldBadge: Bool { subscription.notificationInfo?.shouldBadge ?? false }

  /// Whether nobody sees or hears anything of it.
  public var isSilent: Bool { !(subscription.notificationInfo?.isVisible ?? false) }

  /// What earlier notifications of the same user this one replaces: those with the same key. nil:
  /// none.
  ///
  /// Choice: notifications of one silent zone or database subscription replace each other, since
  /// each says no more than that there are changes to fetch. `collapseIDKey` names a field, as
  /// Apple's header has it, and its value is the key; a subscription that watches no query has no
  /// fields and none of that kind.
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

  /// The notification, whole: what a channel has no room for, it prunes.
  ///
  /// - Throws: `INTERNAL_ERROR` if the subscription has no ID, a query's change no record, or the
  ///   record's fields cannot be read.
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
      // Source: semantics §19: the fields of a deleted record are empty.
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

  /// The values of the fields that the subscription names.
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
  /// Takes over what is shown.
  ///
  /// Choice: both a text and the key of its translation go along where both are given. The device
  /// prefers the key, as Apple documents, and CloudKit JS knows only the text.
  fileprivate mutating func show(_ info: NotificationInfo, of values: [String: FieldValue]) {
    // Choice: a field without a value, or with one that has no text, is an empty text, so that
    // those behind it keep their places.
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
