public import Foundation
import StratusArchive

/// Names a record: its zone, and its name in it. `CKRecord.ID` in Swift.
///
/// NB: at top level, because Foundation on Linux cannot archive a class that lies in another.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The record's name; never empty.
  public let recordName: String
  /// The zone the record lies in.
  public let zoneID: CKRecordZone.ID
  /// NB: kept, since an ID is looked for more often than it is made.
  private let ownHash: Int

  /// Names a record of a zone. An empty name is a programmer's error.
  public init(recordName: String, zoneID: CKRecordZone.ID) {
    precondition(!recordName.isEmpty, "recordName must not be empty")
    self.recordName = recordName
    self.zoneID = zoneID
    ownHash = Self.hash(recordName, zoneID)
  }

  /// Names a record of the default zone. An empty name is a programmer's error.
  public convenience init(recordName: String) {
    self.init(recordName: recordName, zoneID: .default)
  }

  /// A new name, a UUID, in a zone.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(recordName: Live.newID(), zoneID: zoneID)
  }

  /// A new name, a UUID, in the default zone.
  public convenience override init() {
    self.init(recordName: Live.newID(), zoneID: .default)
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordID else { return false }
    return isSame(as: other)
  }

  func isSame(as other: CKRecordID) -> Bool {
    self === other
      || ownHash == other.ownHash && recordName.isIdentical(to: other.recordName)
        && zoneID.isSame(as: other.zoneID)
  }

  public override var hash: Int { ownHash }

  private static func hash(_ recordName: String, _ zoneID: CKRecordZone.ID) -> Int {
    var hasher = Hasher()
    hasher.combine(recordName)
    hasher.combine(zoneID.hash)
    return hasher.finalize()
  }

  public override var description: String {
    "<CKRecordID: recordName=\(recordName), zoneID=\(zoneID.zoneName):\(zoneID.ownerName)>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.recordID.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived ID, ours or Apple's; nil if it has no name. Default: in the default zone.
  public init?(coder: NSCoder) {
    guard let name = coder.string("RecordName"), !name.isEmpty else { return nil }
    recordName = name
    zoneID = coder.object("ZoneID", of: CKRecordZoneID.self) ?? .default
    ownHash = Self.hash(recordName, zoneID)
  }

  public func encode(with coder: NSCoder) {
    coder.encode(recordName as NSString, forKey: "RecordName")
    coder.encode(zoneID, forKey: "ZoneID")
  }
}
