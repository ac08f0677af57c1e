public import Foundation

/// Names a record: its zone, and its name in it. `CKRecord.ID` in Swift.
///
/// NB: at top level, because Foundation on Linux cannot archive a class that lies in another.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The record's name; never empty.
  public let recordName: String
  /// The zone the record lies in.
  public let zoneID: CKRecordZone.ID

  /// Names a record of a zone. An empty name is a programmer's error.
  public init(recordName: String, zoneID: CKRecordZone.ID) {
    precondition(!recordName.isEmpty, "recordName must not be empty")
    self.recordName = recordName
    self.zoneID = zoneID
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
    return recordName.isIdentical(to: other.recordName) && zoneID.isEqual(other.zoneID)
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(recordName)
    hasher.combine(zoneID.hash)
    return hasher.finalize()
  }

  public override var description: String {
    "<CKRecordID: recordName=\(recordName), zoneID=\(zoneID.zoneName):\(zoneID.ownerName)>"
  }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived ID, ours or Apple's; nil if it has no name. Default: in the default zone.
  public init?(coder: NSCoder) {
    guard let name = coder.string("RecordName"), !name.isEmpty else { return nil }
    recordName = name
    zoneID = coder.object("ZoneID", of: CKRecordZoneID.self) ?? .default
  }

  public func encode(with coder: NSCoder) {
    coder.encode(recordName as NSString, forKey: "RecordName")
    coder.encode(zoneID, forKey: "ZoneID")
  }
}
