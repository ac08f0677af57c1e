public import Foundation
import StratusWire

/// What the server told this device of a change: one of the classes that inherit from this.
public class CKNotification: NSObject, @unchecked Sendable {
  public typealias ID = CKNotificationID

  /// What a notification is about.
  public enum NotificationType: Int, Sendable {
    /// A record that a query subscription watches.
    case query = 1
    /// Changes in a zone.
    case recordZone = 2
    /// Another notification was marked as read, as ``CKFetchNotificationChangesOperation`` says, or
    /// a payload says of no change at all.
    case readNotification = 3
    /// Changes in a database.
    case database = 4
  }

  /// What the notification is about.
  public let notificationType: NotificationType
  /// Names the notification; nil if it came without a name.
  public let notificationID: CKNotification.ID?
  /// The container it comes from; nil once it was pruned.
  public let containerIdentifier: String?
  /// Whose subscription it is; nil once it was pruned. Shows the user's own name, not
  /// `CKCurrentUserDefaultName`.
  public let subscriptionOwnerUserRecordID: CKRecord.ID?
  /// Whether something was left out because there was no room.
  public let isPruned: Bool
  /// The subscription that it answers.
  public let subscriptionID: CKSubscription.ID?
  private let presentation: NotificationPayload.Presentation

  fileprivate init(
    _ payload: NotificationPayload, _ type: NotificationType, subscriptionID: String
  ) {
    notificationType = type
    notificationID = payload.notificationID.isEmpty ? nil : CKNotificationID(payload.notificationID)
    containerIdentifier = payload.containerIdentifier
    subscriptionOwnerUserRecordID = payload.userRecordName.flatMap {
      $0.isEmpty ? nil : CKRecordID(recordName: $0)
    }
    isPruned = payload.isPruned
    self.subscriptionID = subscriptionID.isEmpty ? nil : subscriptionID
    presentation = payload.presentation
    super.init()
  }

  /// Says that another notification was marked as read.
  init(readID: CKNotification.ID, containerIdentifier: String?) {
    notificationType = .readNotification
    notificationID = readID
    self.containerIdentifier = containerIdentifier
    subscriptionOwnerUserRecordID = nil
    isPruned = false
    subscriptionID = nil
    presentation = NotificationPayload.Presentation()
    super.init()
  }

  /// The notification that a payload describes.
  static func make(_ payload: NotificationPayload) -> CKNotification {
    switch payload.event {
    case .query(let event): CKQueryNotification(payload, event)
    case .zone(let subscriptionID, let zoneID, let scope):
      CKRecordZoneNotification(payload, subscriptionID, zoneID, scope)
    case .database(let subscriptionID, let scope):
      CKDatabaseNotification(payload, subscriptionID, scope)
    // Choice: the word for notices that say of no change. Apple's class was seen to say 0, which
    // is none of the type's, and one more case would break an app's `switch`.
    case .plain: CKNotification(payload, .readNotification, subscriptionID: "")
    }
  }

  public override var description: String {
    "<\(type(of: self)): notificationID=\(notificationID?.text ?? "nil"), "
      + "subscriptionID=\(subscriptionID ?? "nil")>"
  }
}

/// What a person sees and hears. Apple has deprecated all of it for the UserNotifications
/// framework.
extension CKNotification {
  /// The text.
  public var alertBody: String? { presentation.body }
  /// The key of the text in the app's translations.
  public var alertLocalizationKey: String? { presentation.localizationKey }
  /// What goes into the translated text: values of fields.
  public var alertLocalizationArgs: [String]? { presentation.localizationArgs }
  /// The title.
  public var title: String? { presentation.title }
  /// The key of the title in the app's translations.
  public var titleLocalizationKey: String? { presentation.titleLocalizationKey }
  /// What goes into the translated title: values of fields.
  public var titleLocalizationArgs: [String]? { presentation.titleLocalizationArgs }
  /// The subtitle.
  public var subtitle: String? { presentation.subtitle }
  /// The key of the subtitle in the app's translations.
  public var subtitleLocalizationKey: String? { presentation.subtitleLocalizationKey }
  /// What goes into the translated subtitle: values of fields.
  public var subtitleLocalizationArgs: [String]? { presentation.subtitleLocalizationArgs }
  /// The key of the button's text in the app's translations.
  public var alertActionLocalizationKey: String? { presentation.actionLocalizationKey }
  /// The image an app shows while it starts.
  public var alertLaunchImage: String? { presentation.launchImage }
  /// The number on the app's icon.
  public var badge: NSNumber? { presentation.badge.map { NSNumber(value: $0) } }
  /// The sound.
  public var soundName: String? { presentation.soundName }
  /// The kind of alert, which the app has declared.
  public var category: String? { presentation.category }
}

/// What became of a record that a query subscription watches.
public class CKQueryNotification: CKNotification, @unchecked Sendable {
  /// What became of a record.
  public enum Reason: Int, Sendable {
    case recordCreated = 1
    case recordUpdated = 2
    case recordDeleted = 3
  }

  /// What became of the record. Choice: `recordUpdated` once it was pruned.
  public let queryNotificationReason: Reason
  /// The values of the fields that the subscription asks for, as a record has them; nil if there
  /// are none.
  ///
  /// Choice: they arrive without their types, so a date is a number, of milliseconds since 1970,
  /// and a reference has the action `.none` and points into the record's zone.
  public let recordFields: [String: Any]?
  /// The record; nil once it was pruned.
  public let recordID: CKRecord.ID?
  /// The record's database.
  public let databaseScope: CKDatabase.Scope
  /// Deprecated by Apple for ``databaseScope``.
  public var isPublicDatabase: Bool { databaseScope == .public }

  fileprivate init(_ payload: NotificationPayload, _ event: RecordEvent) {
    let zoneID = event.zoneID.map { CKRecordZoneID($0, in: payload) } ?? .default
    queryNotificationReason =
      event.reason.flatMap { Reason(rawValue: $0.rawValue) } ?? .recordUpdated
    recordID = event.recordName.flatMap { name in
      name.isEmpty ? nil : CKRecordID(recordName: name, zoneID: zoneID)
    }
    databaseScope = CKDatabase.Scope(event.scope)
    var fields: [String: Any] = [:]
    for (name, value) in event.fields { fields[name] = value.stored(in: zoneID) }
    recordFields = fields.isEmpty ? nil : fields
    super.init(payload, .query, subscriptionID: event.subscriptionID)
  }
}

/// Changes in a zone that a zone subscription watches.
public class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
  /// The zone; nil once it was pruned.
  public let recordZoneID: CKRecordZone.ID?
  /// The zone's database.
  public let databaseScope: CKDatabase.Scope

  fileprivate init(
    _ payload: NotificationPayload, _ subscriptionID: String, _ zoneID: ZoneID?,
    _ scope: DatabaseScope
  ) {
    recordZoneID = zoneID.map { CKRecordZoneID($0, in: payload) }
    databaseScope = CKDatabase.Scope(scope)
    super.init(payload, .recordZone, subscriptionID: subscriptionID)
  }
}

/// Changes in a database that a database subscription watches.
public class CKDatabaseNotification: CKNotification, @unchecked Sendable {
  /// The database.
  public let databaseScope: CKDatabase.Scope

  fileprivate init(
    _ payload: NotificationPayload, _ subscriptionID: String, _ scope: DatabaseScope
  ) {
    databaseScope = CKDatabase.Scope(scope)
    super.init(payload, .database, subscriptionID: subscriptionID)
  }
}
