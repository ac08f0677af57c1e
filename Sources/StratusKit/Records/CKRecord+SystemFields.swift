public import Foundation

extension CKRecord {
  /// The record's type.
  public var recordType: CKRecord.RecordType { withState { $0.recordType } }

  /// The record's ID.
  public var recordID: CKRecord.ID { withState { $0.recordID } }

  /// Names the version of the record the server has; nil if it was never saved or fetched.
  public var recordChangeTag: String? { withState { $0.system.changeTag } }

  /// Who saved the record first; nil if nobody has.
  public var creatorUserRecordID: CKRecord.ID? { withState { $0.system.creatorUserRecordID } }

  /// When the record was first saved, by the server's clock; nil if it was not.
  public var creationDate: Date? { withState { $0.system.creationDate } }

  /// Who saved the record last; nil if nobody has.
  public var lastModifiedUserRecordID: CKRecord.ID? {
    withState { $0.system.lastModifiedUserRecordID }
  }

  /// When the record was last saved, by the server's clock; nil if it was not.
  public var modificationDate: Date? { withState { $0.system.modificationDate } }

  /// The record this one hangs on when a hierarchy is shared.
  ///
  /// A reference with an action other than `.none` is a programmer's error.
  public var parent: CKRecord.Reference? {
    get { withState { $0.parent } }
    set {
      let action = newValue?.action ?? CKReferenceAction.none
      precondition(
        action == CKReferenceAction.none, "a parent reference must have no action")
      withState { $0.set(parent: newValue) }
    }
  }

  /// Hangs the record on another; nil takes it off.
  public func setParent(_ parentRecord: CKRecord?) { setParent(parentRecord?.recordID) }

  /// Hangs the record on another by its ID; nil takes it off.
  public func setParent(_ parentRecordID: CKRecord.ID?) {
    parent = parentRecordID.map { CKReference(recordID: $0, action: .none) }
  }

  /// The share that the record is the root of; nil if the record is not shared itself.
  ///
  /// A record that is shared because its parent is has no share of its own.
  /// The server alone sets it. Apple: `CKRecord.share`.
  public var share: CKRecord.Reference? { withState { $0.system.share } }

  /// The record types the system has.
  public enum SystemType {
    /// A user.
    public static let userRecord: CKRecord.RecordType = "Users"
    /// A share.
    public static let share: CKRecord.RecordType = "cloudkit.share"
  }

  /// The names under which queries know what every record has.
  public enum SystemFieldKey {
    /// The record's ID.
    public static let recordID: CKRecord.FieldKey = "___recordID"
    /// Who saved it first.
    public static let creatorUserRecordID: CKRecord.FieldKey = "___createdBy"
    /// When it was first saved.
    public static let creationDate: CKRecord.FieldKey = "___createTime"
    /// Who saved it last.
    public static let lastModifiedUserRecordID: CKRecord.FieldKey = "___modifiedBy"
    /// When it was last saved.
    public static let modificationDate: CKRecord.FieldKey = "___modTime"
    /// What it hangs on.
    public static let parent: CKRecord.FieldKey = "___parent"
    /// What shares it.
    public static let share: CKRecord.FieldKey = "___share"
  }
}

/// The record type of users.
public let CKRecordTypeUserRecord: String = CKRecord.SystemType.userRecord
/// The name under which queries know a record's parent.
public let CKRecordParentKey: String = CKRecord.SystemFieldKey.parent
/// The name under which queries know a record's share.
public let CKRecordShareKey: String = CKRecord.SystemFieldKey.share
