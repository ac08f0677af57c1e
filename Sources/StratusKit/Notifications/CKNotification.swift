public import Foundation
import StratusWire

/// A notification about a change on the server. The concrete notifications are subclasses.
public class CKNotification: NSObject, @unchecked Sendable {
  /// Identifies a notification.
  public typealias ID = CKNotificationID

  /// The kind of change that a notification reports.
  public enum NotificationType: Int, Sendable {
    /// A change of a record that a query subscription watches.
    case query = 1
    /// Changes in a zone.
    case recordZone = 2
    /// Either another notification was marked as read (see
    /// ``CKFetchNotificationChangesOperation``), or the payload reports no change.
    case readNotification = 3
    /// Changes in a database.
    case database = 4
  }

  /// The kind of change that the notification reports.
  public let notificationType: NotificationType
  /// The notification's ID; nil if the payload contains no ID.
  public let notificationID: CKNotification.ID?
  /// The name of the container to which the notification belongs; nil if the server left it out.
  public let containerIdentifier: String?
  /// The ID of the user who owns the subscription; nil if the server left it out. The ID contains
  /// the user's real record name, not `CKCurrentUserDefaultName`.
  public let subscriptionOwnerUserRecordID: CKRecord.ID?
  /// Whether the server left out properties because they did not fit into the payload.
  public let isPruned: Bool
  /// The ID of the subscription that caused the notification; nil if the payload contains none.
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

  /// Makes a notification of the type `readNotification`: another notification was marked as read.
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

  /// Makes the notification that a payload describes.
  static func make(_ payload: NotificationPayload) -> CKNotification {
    switch payload.event {
    case .query(let event): CKQueryNotification(payload, event)
    case .zone(let subscriptionID, let zoneID, let scope):
      CKRecordZoneNotification(payload, subscriptionID, zoneID, scope)
    case .database(let subscriptionID, let scope):
      CKDatabaseNotification(payload, subscriptionID, scope)
    // Choice: a notification that reports no change has the type `.readNotification`. Apple's class
    // was observed to use 0, which is not a case of the type. An additional case would break an
    // app's `switch`.
    case .plain: CKNotification(payload, .readNotification, subscriptionID: "")
    }
  }

  public override var description: String {
    "<\(type(of: self)): notificationID=\(notificationID?.text ?? "nil"), "
      + "subscriptionID=\(subscriptionID ?? "nil")>"
  }
}

/// The properties of the alert that the user sees and hears. Apple has deprecated all of them in
/// favour of the UserNotifications framework.
extension CKNotification {
  /// The text of the alert.
  public var alertBody: String? { presentation.body }
  /// The key of the text in the app's translations.
  public var alertLocalizationKey: String? { presentation.localizationKey }
  /// The field values that are inserted into the translated text.
  public var alertLocalizationArgs: [String]? { presentation.localizationArgs }
  /// The title of the alert.
  public var title: String? { presentation.title }
  /// The key of the title in the app's translations.
  public var titleLocalizationKey: String? { presentation.titleLocalizationKey }
  /// The field values that are inserted into the translated title.
  public var titleLocalizationArgs: [String]? { presentation.titleLocalizationArgs }
  /// The subtitle of the alert.
  public var subtitle: String? { presentation.subtitle }
  /// The key of the subtitle in the app's translations.
  public var subtitleLocalizationKey: String? { presentation.subtitleLocalizationKey }
  /// The field values that are inserted into the translated subtitle.
  public var subtitleLocalizationArgs: [String]? { presentation.subtitleLocalizationArgs }
  /// The key of the button's text in the app's translations.
  public var alertActionLocalizationKey: String? { presentation.actionLocalizationKey }
  /// The name of the image that the app shows while it starts.
  public var alertLaunchImage: String? { presentation.launchImage }
  /// The number on the app's icon.
  public var badge: NSNumber? { presentation.badge.map { NSNumber(value: $0) } }
  /// The name of the alert's sound.
  public var soundName: String? { presentation.soundName }
  /// The category of the alert. The app declares its categories.
  public var category: String? { presentation.category }
}

/// Reports a change of a record that a query subscription watches.
public class CKQueryNotification: CKNotification, @unchecked Sendable {
  /// The kind of change of a record.
  public enum Reason: Int, Sendable {
    /// A record that matches the query was created.
    case recordCreated = 1
    /// A record was changed, and it matched the query before or after the change.
    case recordUpdated = 2
    /// A record that matched the query was deleted.
    case recordDeleted = 3
  }

  /// The kind of change of the record. Choice: `recordUpdated` if the server left out the kind.
  public let queryNotificationReason: Reason
  /// The values of the fields that the subscription requests, as the objects that a record stores;
  /// nil if there are none.
  ///
  /// Choice: the values arrive without their types. A date is therefore a number of milliseconds
  /// since 1970. A reference has the action `.none` and points into the record's zone.
  public let recordFields: [String: Any]?
  /// The ID of the record; nil if the server left it out.
  public let recordID: CKRecord.ID?
  /// The record's database.
  public let databaseScope: CKDatabase.Scope
  /// Whether the database is public. Apple has deprecated this property in favour of
  /// ``databaseScope``.
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

/// Reports changes in a zone that a zone subscription watches.
public class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
  /// The ID of the zone; nil if the server left it out.
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

/// Reports changes in a database that a database subscription watches.
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
