public import Foundation
import StratusArchive
import Synchronization

/// A request for notifications of changes. The concrete subscriptions are subclasses.
///
/// A subscription belongs to the user who saves it. The server notifies all of the user's devices
/// except the device that makes the change.
public class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The ID of a subscription.
  public typealias ID = String
  /// The contents of a subscription's notifications.
  public typealias NotificationInfo = CKNotificationInfo

  /// The kind of changes that a subscription watches.
  public enum SubscriptionType: Int, Sendable {
    /// Fires for records that match a query.
    case query = 1
    /// Fires for every change in one zone.
    case recordZone = 2
    /// Fires for every change in the custom zones of a database.
    case database = 3
  }

  /// The ID, which is unique among the user's subscriptions in one database. Saving a subscription
  /// replaces an existing subscription with the same ID.
  public let subscriptionID: CKSubscription.ID
  /// The kind of changes that the subscription watches.
  public let subscriptionType: SubscriptionType

  private let info: Mutex<CKNotificationInfo?>

  /// The content of the notifications. The property stores a copy of the value that an app assigns.
  /// With nil, the default, notifications have no content, as if only `shouldSendContentAvailable`
  /// were set.
  public var notificationInfo: NotificationInfo? {
    get { info.withLock { $0 } }
    set {
      let copy = newValue?.duplicate()
      info.withLock { $0 = copy }
    }
  }

  init(_ type: SubscriptionType, id: CKSubscription.ID, notificationInfo: NotificationInfo? = nil) {
    subscriptionType = type
    subscriptionID = id
    info = Mutex(notificationInfo?.duplicate())
    super.init()
  }

  /// Returns an independent subscription with the same properties.
  public func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  func duplicate() -> CKSubscription { self }

  /// Two subscriptions are equal if their IDs, watched changes and notification contents are equal.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKSubscription, type(of: other) == type(of: self) else {
      return false
    }
    return other.subscriptionID == subscriptionID && other.notificationInfo == notificationInfo
      && watchesSame(as: other)
  }

  /// NB: the hash value depends only on the constant ID, so that a subscription can change while it
  /// is in a set.
  public override var hash: Int { subscriptionID.hashValue }

  /// Whether another subscription watches the same changes. The caller has checked that both
  /// subscriptions have the same class.
  func watchesSame(as other: CKSubscription) -> Bool { true }

  public override var description: String {
    "<\(type(of: self)): subscriptionID=\(subscriptionID)>"
  }

  public class var supportsSecureCoding: Bool { true }

  /// Reads an archived subscription; nil if it has no ID or no type.
  public required init?(coder: NSCoder) {
    guard let id = coder.string("SubscriptionID"),
      let type = coder.integer("SubscriptionType").flatMap(SubscriptionType.init)
    else { return nil }
    subscriptionID = id
    subscriptionType = type
    info = Mutex(coder.object("NotificationInfo", of: CKNotificationInfo.self))
    super.init()
  }

  public func encode(with coder: NSCoder) {
    coder.encode(subscriptionID as NSString, forKey: "SubscriptionID")
    coder.encode(subscriptionType.rawValue, forKey: "SubscriptionType")
    coder.encode(present: notificationInfo, forKey: "NotificationInfo")
  }
}

/// Watches all records of one custom zone of the private database.
public class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
  /// The zone.
  public let zoneID: CKRecordZone.ID
  private let type: Mutex<CKRecord.RecordType?>

  /// Only records of this type are watched; nil, the default, watches all records.
  public var recordType: CKRecord.RecordType? {
    get { type.withLock { $0 } }
    set { type.withLock { $0 = newValue } }
  }

  override func watchesSame(as other: CKSubscription) -> Bool {
    guard let other = other as? CKRecordZoneSubscription else { return false }
    return other.zoneID == zoneID && other.recordType == recordType
  }

  /// Watches a zone.
  public convenience init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
    self.init(zoneID: zoneID, subscriptionID: subscriptionID, recordType: nil)
  }

  /// Watches a zone, with a new unique ID. Apple has deprecated this initialiser in favour of the
  /// initialiser with an ID.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, subscriptionID: Live.newID())
  }

  init(
    zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID, recordType: CKRecord.RecordType?,
    notificationInfo: NotificationInfo? = nil
  ) {
    self.zoneID = zoneID
    type = Mutex(recordType)
    super.init(.recordZone, id: subscriptionID, notificationInfo: notificationInfo)
  }

  override func duplicate() -> CKSubscription {
    CKRecordZoneSubscription(
      zoneID: zoneID, subscriptionID: subscriptionID, recordType: recordType,
      notificationInfo: notificationInfo)
  }

  public override var classForKeyedArchiver: AnyClass? {
    ArchiveName.recordZoneSubscription.standIn
  }

  /// Reads an archived subscription; nil if it has no ID or no zone, or is of another class.
  public required init?(coder: NSCoder) {
    guard let zoneID = coder.object("ZoneID", of: CKRecordZoneID.self) else { return nil }
    self.zoneID = zoneID
    type = Mutex(coder.string("RecordType"))
    super.init(coder: coder)
    if subscriptionType != .recordZone { return nil }
  }

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(zoneID, forKey: "ZoneID")
    coder.encode(present: recordType as NSString?, forKey: "RecordType")
  }
}

/// Watches all records of all custom zones of the private or the shared database.
public class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
  private let type: Mutex<CKRecord.RecordType?>

  /// Only records of this type are watched; nil, the default, watches all records.
  public var recordType: CKRecord.RecordType? {
    get { type.withLock { $0 } }
    set { type.withLock { $0 = newValue } }
  }

  override func watchesSame(as other: CKSubscription) -> Bool {
    (other as? CKDatabaseSubscription).map { $0.recordType == recordType } ?? false
  }

  /// Watches the database in which the subscription is saved.
  public convenience init(subscriptionID: CKSubscription.ID) {
    self.init(subscriptionID: subscriptionID, recordType: nil)
  }

  /// Watches a database, with a new unique ID. Apple has deprecated this initialiser in favour of
  /// the initialiser with an ID.
  public convenience init() { self.init(subscriptionID: Live.newID()) }

  init(
    subscriptionID: CKSubscription.ID, recordType: CKRecord.RecordType?,
    notificationInfo: NotificationInfo? = nil
  ) {
    type = Mutex(recordType)
    super.init(.database, id: subscriptionID, notificationInfo: notificationInfo)
  }

  override func duplicate() -> CKSubscription {
    CKDatabaseSubscription(
      subscriptionID: subscriptionID, recordType: recordType, notificationInfo: notificationInfo)
  }

  public override var classForKeyedArchiver: AnyClass? {
    ArchiveName.databaseSubscription.standIn
  }

  /// Reads an archived subscription; nil if it has no ID, or is of another class.
  public required init?(coder: NSCoder) {
    type = Mutex(coder.string("RecordType"))
    super.init(coder: coder)
    if subscriptionType != .database { return nil }
  }

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(present: recordType as NSString?, forKey: "RecordType")
  }
}
