public import StratusWire

extension NotificationPayload {
  /// The JSON size limit of one notification of Apple's push service, in bytes.
  ///
  /// Source: Apple, *Generating a remote notification*: 4 kB.
  public static let apnsBytesMax = 4_096

  /// Returns the notification, reduced to `bytesMax` bytes of JSON. The least important parts are
  /// removed first. The result is larger only if nothing is left to remove.
  ///
  /// Choice: parts are removed in the order of Apple's header file, because that order is precise.
  /// Apple's prose removes the fields of `desiredKeys` first.
  public func pruned(toBytes bytesMax: Int) -> NotificationPayload {
    var payload = self
    var size = payload.jsonBytes.count
    for part in Part.allCases.reversed() {
      if size <= bytesMax { break }
      guard payload.holds(part) else { continue }
      payload.remove(part)
      payload.isPruned = true
      size = payload.jsonBytes.count
    }
    return payload
  }

  /// The parts that can be removed, the most important first.
  ///
  /// NB: the IDs of the notification and the subscription always stay, because the rest means
  /// nothing without them. Choice: Apple does not document the rank of `category` and
  /// `mutable-content`. They rank with the other short parts that control how the device handles
  /// the notification.
  enum Part: CaseIterable {
    case badge, localizationKey, localizationArgs, body, actionLocalizationKey, launchImage
    case soundName, contentAvailable, mutableContent, category
    case fields, reason, recordID, zoneID
    case containerIdentifier, userRecordName
    case titleLocalizationKey, titleLocalizationArgs, title
    case subtitleLocalizationKey, subtitleLocalizationArgs, subtitle
  }

  /// Whether the notification has this part.
  func holds(_ part: Part) -> Bool {
    switch part {
    case .badge: presentation.badge != nil
    case .localizationKey: presentation.localizationKey != nil
    case .localizationArgs: presentation.localizationArgs != nil
    case .body: presentation.body != nil
    case .actionLocalizationKey: presentation.actionLocalizationKey != nil
    case .launchImage: presentation.launchImage != nil
    case .soundName: presentation.soundName != nil
    case .contentAvailable: presentation.isContentAvailable
    case .mutableContent: presentation.isMutableContent
    case .category: presentation.category != nil
    case .fields: record?.fields.isEmpty == false
    case .reason: record?.reason != nil
    case .recordID: record.map { $0.recordName != nil || $0.zoneID != nil } ?? false
    case .zoneID: if case .zone(_, .some, _) = event { true } else { false }
    case .containerIdentifier: containerIdentifier != nil
    case .userRecordName: userRecordName != nil
    case .titleLocalizationKey: presentation.titleLocalizationKey != nil
    case .titleLocalizationArgs: presentation.titleLocalizationArgs != nil
    case .title: presentation.title != nil
    case .subtitleLocalizationKey: presentation.subtitleLocalizationKey != nil
    case .subtitleLocalizationArgs: presentation.subtitleLocalizationArgs != nil
    case .subtitle: presentation.subtitle != nil
    }
  }

  private mutating func remove(_ part: Part) {
    switch part {
    case .badge: presentation.badge = nil
    case .localizationKey: presentation.localizationKey = nil
    case .localizationArgs: presentation.localizationArgs = nil
    case .body: presentation.body = nil
    case .actionLocalizationKey: presentation.actionLocalizationKey = nil
    case .launchImage: presentation.launchImage = nil
    case .soundName: presentation.soundName = nil
    case .contentAvailable: presentation.isContentAvailable = false
    case .mutableContent: presentation.isMutableContent = false
    case .category: presentation.category = nil
    case .fields: record?.fields = []
    case .reason: record?.reason = nil
    case .recordID:
      record?.recordName = nil
      record?.zoneID = nil
    case .zoneID:
      if case .zone(let id, _, let scope) = event {
        event = .zone(subscriptionID: id, nil, scope)
      }
    case .containerIdentifier: containerIdentifier = nil
    case .userRecordName: userRecordName = nil
    case .titleLocalizationKey: presentation.titleLocalizationKey = nil
    case .titleLocalizationArgs: presentation.titleLocalizationArgs = nil
    case .title: presentation.title = nil
    case .subtitleLocalizationKey: presentation.subtitleLocalizationKey = nil
    case .subtitleLocalizationArgs: presentation.subtitleLocalizationArgs = nil
    case .subtitle: presentation.subtitle = nil
    }
  }

  /// The record event of a query subscription, or nil for other subscriptions.
  private var record: RecordEvent? {
    get { if case .query(let record) = event { record } else { nil } }
    set { if let newValue { event = .query(newValue) } }
  }
}
