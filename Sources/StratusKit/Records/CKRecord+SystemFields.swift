public import Foundation

extension CKRecord {
  /// The record's type.
  public var recordType: CKRecord.RecordType { withState { $0.recordType } }

  /// The record's ID.
  public var recordID: CKRecord.ID { withState { $0.recordID } }

  /// Identifies the server's version of the record; nil if the record was never saved or fetched.
  public var recordChangeTag: String? { withState { $0.system.changeTag } }

  /// The ID of the user who saved the record first; nil if the record was never saved.
  public var creatorUserRecordID: CKRecord.ID? { withState { $0.system.creatorUserRecordID } }

  /// The time of the first save, by the server's clock; nil if the record was never saved.
  public var creationDate: Date? { withState { $0.system.creationDate } }

  /// The ID of the user who saved the record last; nil if the record was never saved.
  public var lastModifiedUserRecordID: CKRecord.ID? {
    withState { $0.system.lastModifiedUserRecordID }
  }

  /// The time of the last save, by the server's clock; nil if the record was never saved.
  public var modificationDate: Date? { withState { $0.system.modificationDate } }

  /// The record's parent in a hierarchy that can be shared.
  ///
  /// A reference with an action other than `.none` is a programmer error.
  public var parent: CKRecord.Reference? {
    get { withState { $0.parent } }
    set {
      let action = newValue?.action ?? CKReferenceAction.none
      precondition(
        action == CKReferenceAction.none, "a parent reference must have no action")
      withState { $0.set(parent: newValue) }
    }
  }

  /// Sets the record's parent; nil removes the parent.
  public func setParent(_ parentRecord: CKRecord?) { setParent(parentRecord?.recordID) }

  /// Sets the record's parent by its ID; nil removes the parent.
  public func setParent(_ parentRecordID: CKRecord.ID?) {
    parent = parentRecordID.map { CKReference(recordID: $0, action: .none) }
  }

  /// The share whose root is this record; nil if no share starts at this record.
  ///
  /// A record that is shared through its parent has no share of its own. The server sets this
  /// property, and a new share sets it in its root record.
  public var share: CKRecord.Reference? { withState { $0.system.share } }

  /// The record types that CloudKit defines.
  public enum SystemType {
    /// A user.
    public static let userRecord: CKRecord.RecordType = "Users"
    /// A share.
    public static let share: CKRecord.RecordType = "cloudkit.share"
  }

  /// The names of the system fields in queries.
  public enum SystemFieldKey {
    /// The record's ID.
    public static let recordID: CKRecord.FieldKey = "___recordID"
    /// The user who saved the record first.
    public static let creatorUserRecordID: CKRecord.FieldKey = "___createdBy"
    /// The date of the first save.
    public static let creationDate: CKRecord.FieldKey = "___createTime"
    /// The user who saved the record last.
    public static let lastModifiedUserRecordID: CKRecord.FieldKey = "___modifiedBy"
    /// The date of the last save.
    public static let modificationDate: CKRecord.FieldKey = "___modTime"
    /// The record's parent.
    public static let parent: CKRecord.FieldKey = "___parent"
    /// The record's share.
    public static let share: CKRecord.FieldKey = "___share"
  }
}

/// The record type of users.
public let CKRecordTypeUserRecord: String = CKRecord.SystemType.userRecord
/// The name of the parent in queries.
public let CKRecordParentKey: String = CKRecord.SystemFieldKey.parent
/// The name of the share in queries.
public let CKRecordShareKey: String = CKRecord.SystemFieldKey.share
