public import Foundation
import StratusArchive
import StratusFoundation
import Synchronization

/// Watches the records that a query finds, in the public or the private database.
public class CKQuerySubscription: CKSubscription, @unchecked Sendable {
  /// What may become of a record, and how often that is told.
  public struct Options: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A record is made.
    public static let firesOnRecordCreation = Options(rawValue: 1 << 0)
    /// A record is changed.
    public static let firesOnRecordUpdate = Options(rawValue: 1 << 1)
    /// A record is deleted.
    public static let firesOnRecordDeletion = Options(rawValue: 1 << 2)
    /// The server deletes the subscription with its first notification.
    public static let firesOnce = Options(rawValue: 1 << 3)

    /// Those of which one at least must be chosen.
    static let triggers: Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  }

  private let type: CKRecord.RecordType

  /// The type of the records; never nil.
  public var recordType: CKRecord.RecordType? { type }
  /// What must hold for a record, before the change or after it. What CloudKit does not accept is
  /// refused when the subscription is saved; `now()` then becomes that time.
  ///
  /// NB: see `CKQuery.predicate` for why it is not `@NSCopying`.
  public let predicate: NSPredicate
  /// Only records of this zone; nil, the default: of the whole database.
  public var zoneID: CKRecordZone.ID? {
    get { zone.withLock { $0 } }
    set { zone.withLock { $0 = newValue } }
  }

  private let zone: Mutex<CKRecordZone.ID?>
  /// What may become of a record. Choice: without creation, update and deletion, saving fails with
  /// `CKError.invalidArguments`; Apple's framework raises an exception.
  public let querySubscriptionOptions: Options

  /// Watches the records of a type for which a predicate holds. Default: creation, update and
  /// deletion.
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

  /// Deprecated by Apple for the initialiser with an ID; here the ID is one that nobody else has.
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

  /// Reads an archived subscription; nil if it has no ID, or no query.
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
