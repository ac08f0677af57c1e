public import Foundation
import StratusArchive
import StratusFoundation
import Synchronization

/// Watches the records that a query finds, in the public or the private database.
public class CKQuerySubscription: CKSubscription, @unchecked Sendable {
  /// The kinds of changes that cause notifications, and whether the subscription fires once.
  public struct Options: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A record is created.
    public static let firesOnRecordCreation = Options(rawValue: 1 << 0)
    /// A record is changed.
    public static let firesOnRecordUpdate = Options(rawValue: 1 << 1)
    /// A record is deleted.
    public static let firesOnRecordDeletion = Options(rawValue: 1 << 2)
    /// The server deletes the subscription after its first notification.
    public static let firesOnce = Options(rawValue: 1 << 3)

    /// The kinds of changes, of which at least one must be set.
    static let triggers: Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  }

  private let type: CKRecord.RecordType

  /// The type of the records; never nil.
  public var recordType: CKRecord.RecordType? { type }
  /// The condition that a record must satisfy before or after the change. A predicate that CloudKit
  /// does not support is rejected when the subscription is saved. `now()` is replaced by the time
  /// of that save.
  ///
  /// NB: `CKQuery.predicate` explains why this property is not `@NSCopying`.
  public let predicate: NSPredicate
  /// Only records of this zone are watched; nil, the default, watches the whole database.
  public var zoneID: CKRecordZone.ID? {
    get { zone.withLock { $0 } }
    set { zone.withLock { $0 = newValue } }
  }

  private let zone: Mutex<CKRecordZone.ID?>
  /// The changes that cause notifications. Choice: if no creation, update or deletion option is
  /// set, saving fails with `CKError.invalidArguments`. Apple's framework raises an exception.
  public let querySubscriptionOptions: Options

  /// Watches the records of a type that match a predicate. By default, creations, updates and
  /// deletions cause notifications.
  public convenience init(
    recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID,
    options querySubscriptionOptions: CKQuerySubscription.Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  ) {
    self.init(
      recordType: recordType, predicate: predicate, zoneID: nil, options: querySubscriptionOptions,
      subscriptionID: subscriptionID)
  }

  /// Watches the records of a type that match a predicate. The subscription has a new unique ID.
  /// Apple has deprecated this initialiser in favour of the initialiser with an ID.
  public convenience init(
    recordType: CKRecord.RecordType, predicate: NSPredicate,
    options querySubscriptionOptions: CKQuerySubscription.Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  ) {
    self.init(
      recordType: recordType, predicate: predicate, subscriptionID: Live.newID(),
      options: querySubscriptionOptions)
  }

  init(
    recordType: CKRecord.RecordType, predicate: NSPredicate, zoneID: CKRecordZone.ID?,
    options: Options, subscriptionID: CKSubscription.ID, notificationInfo: NotificationInfo? = nil
  ) {
    type = recordType
    self.predicate = predicate.independentCopy
    zone = Mutex(zoneID)
    querySubscriptionOptions = options
    super.init(.query, id: subscriptionID, notificationInfo: notificationInfo)
  }

  override func duplicate() -> CKSubscription {
    CKQuerySubscription(
      recordType: type, predicate: predicate, zoneID: zoneID, options: querySubscriptionOptions,
      subscriptionID: subscriptionID, notificationInfo: notificationInfo)
  }

  override func watchesSame(as other: CKSubscription) -> Bool {
    guard let other = other as? CKQuerySubscription else { return false }
    return other.recordType == recordType && other.zoneID == zoneID
      && other.querySubscriptionOptions == querySubscriptionOptions
      && (other.predicate.isEqual(predicate) || predicate.says(theSameAs: other.predicate))
  }

  public override var description: String {
    "<CKQuerySubscription: subscriptionID=\(subscriptionID), recordType=\(type), "
      + "predicate=\(predicate)>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.querySubscription.standIn }

  /// Reads an archived subscription; nil if it has no ID or no query, or is of another class.
  public required init?(coder: NSCoder) {
    guard let recordType = coder.string("RecordType"),
      let predicate = coder.object("Predicate", of: NSPredicate.self)
    else { return nil }
    type = recordType
    self.predicate = predicate
    zone = Mutex(coder.object("ZoneID", of: CKRecordZoneID.self))
    let options = coder.integer("QuerySubscriptionOptions").flatMap { UInt(exactly: $0) }
    querySubscriptionOptions = Options(rawValue: options ?? Options.triggers.rawValue)
    super.init(coder: coder)
    if subscriptionType != .query { return nil }
  }

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(type as NSString, forKey: "RecordType")
    coder.encode(predicate, forKey: "Predicate")
    coder.encode(present: zoneID, forKey: "ZoneID")
    coder.encode(
      Int(truncatingIfNeeded: querySubscriptionOptions.rawValue),
      forKey: "QuerySubscriptionOptions")
  }
}
