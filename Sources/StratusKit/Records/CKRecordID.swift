public import Foundation
import StratusArchive

/// Identifies a record by its zone and its name. Swift code uses the name `CKRecord.ID`.
///
/// NB: the class is not nested, because Foundation on Linux cannot archive a nested class.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The record's name; never empty.
  public let recordName: String
  /// The record's zone.
  public let zoneID: CKRecordZone.ID
  /// NB: the hash value is stored, because IDs are hashed more often than they are made.
  private let ownHash: Int

  /// Makes the ID of a record in a zone. An empty name is a programmer error.
  public init(recordName: String, zoneID: CKRecordZone.ID) {
    precondition(!recordName.isEmpty, "recordName must not be empty")
    self.recordName = recordName
    self.zoneID = zoneID
    ownHash = Self.hash(recordName, zoneID)
  }

  /// Makes the ID of a record in the default zone. An empty name is a programmer error.
  public convenience init(recordName: String) {
    self.init(recordName: recordName, zoneID: .default)
  }

  /// Makes an ID with a new UUID as its name, in a zone.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(recordName: Live.newID(), zoneID: zoneID)
  }

  /// Makes an ID with a new UUID as its name, in the default zone.
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

  /// Reads an archived ID, from Stratus or from Apple's framework; nil if it has no name. An ID
  /// without a zone is in the default zone.
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
