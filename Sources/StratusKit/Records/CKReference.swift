public import Foundation
import StratusArchive

/// A reference from one record to another. Swift code uses the name `CKRecord.Reference`.
public final class CKReference: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The effect on the referring record when the target is deleted.
  public typealias Action = CKRecord.ReferenceAction

  /// The ID of the target record.
  public let recordID: CKRecord.ID
  /// The effect on the referring record when the target is deleted.
  public let action: CKRecord.ReferenceAction

  /// Makes a reference to a record by its ID.
  public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
    self.recordID = recordID
    self.action = action
  }

  /// Makes a reference to a record.
  public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
    self.init(recordID: record.recordID, action: action)
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKReference else { return false }
    return action == other.action && recordID.isEqual(other.recordID)
  }

  public override var hash: Int { recordID.hash }

  public override var description: String {
    "<CKReference: recordID=\(recordID.recordName), action=\(action)>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.reference.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived reference; nil if it has no target.
  public init?(coder: NSCoder) {
    guard let recordID = coder.object("RecordID", of: CKRecordID.self) else { return nil }
    self.recordID = recordID
    let number = coder.integer("ReferenceAction") ?? 0
    action = UInt(exactly: number).flatMap(CKRecord.ReferenceAction.init) ?? .none
  }

  public func encode(with coder: NSCoder) {
    coder.encode(recordID, forKey: "RecordID")
    coder.encode(Int(action.rawValue), forKey: "ReferenceAction")
  }
}

/// The effect on a referring record when the target of its reference is deleted.
public enum CKReferenceAction: UInt, Sendable {
  /// The referring record stays, with a dangling reference.
  case none = 0
  /// The referring record is deleted, too.
  case deleteSelf = 1
}

/// Apple's older name of ``CKReferenceAction``.
public typealias CKRecord_Reference_Action = CKRecord.ReferenceAction
