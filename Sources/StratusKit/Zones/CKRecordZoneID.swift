public import Foundation
import StratusArchive

/// Identifies a zone by its name and its owner. Swift code uses the name `CKRecordZone.ID`.
///
/// NB: the class is not nested, because Foundation on Linux cannot archive a nested class.
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The ID of the default zone of the current user.
  public static let `default` = CKRecordZoneID(
    zoneName: defaultZoneName, ownerName: CKCurrentUserDefaultName)

  /// The name of the default zone.
  public static let defaultZoneName = CKRecordZoneDefaultName

  /// The zone's name; never empty.
  public let zoneName: String
  /// The owner's user record name; `CKCurrentUserDefaultName` for the current user.
  public let ownerName: String
  /// NB: the hash value is stored, because IDs are hashed more often than they are made.
  private let ownHash: Int

  /// Makes a zone ID. By default, the ID identifies the default zone of the current user. An empty
  /// zone name or owner name is a programmer error.
  public init(
    zoneName: String = CKRecordZone.ID.defaultZoneName,
    ownerName: String = CKCurrentUserDefaultName
  ) {
    precondition(!zoneName.isEmpty, "zoneName must not be empty")
    precondition(!ownerName.isEmpty, "ownerName must not be empty")
    self.zoneName = zoneName
    self.ownerName = ownerName
    ownHash = Self.hash(zoneName, ownerName)
  }

  /// Makes a zone ID. An owner name that is nil is a programmer error.
  @_disfavoredOverload
  public convenience init(
    zoneName: String = CKRecordZone.ID.defaultZoneName, ownerName: String? = CKOwnerDefaultName
  ) {
    self.init(zoneName: zoneName, ownerName: ownerName ?? "")
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordZoneID else { return false }
    return isSame(as: other)
  }

  func isSame(as other: CKRecordZoneID) -> Bool {
    self === other
      || ownHash == other.ownHash && zoneName.isIdentical(to: other.zoneName)
        && ownerName.isIdentical(to: other.ownerName)
  }

  public override var hash: Int { ownHash }

  private static func hash(_ zoneName: String, _ ownerName: String) -> Int {
    var hasher = Hasher()
    hasher.combine(zoneName)
    hasher.combine(ownerName)
    return hasher.finalize()
  }

  public override var description: String {
    "<CKRecordZoneID: zoneName=\(zoneName), ownerName=\(ownerName)>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.recordZoneID.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived ID, from Stratus or from Apple's framework; nil if it has no name. A zone
  /// without an owner belongs to the current user.
  public init?(coder: NSCoder) {
    guard let name = coder.string("ZoneName"), !name.isEmpty else { return nil }
    zoneName = name
    let owner = coder.string("ownerName") ?? ""
    ownerName = owner.isEmpty ? CKCurrentUserDefaultName : owner
    ownHash = Self.hash(zoneName, ownerName)
  }

  public func encode(with coder: NSCoder) {
    coder.encode(zoneName as NSString, forKey: "ZoneName")
    coder.encode(ownerName as NSString, forKey: "ownerName")
  }
}

/// The name of the default zone.
public let CKRecordZoneDefaultName = "_defaultZone"

/// The placeholder for the current user's record name.
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// Apple has deprecated this constant in favour of ``CKCurrentUserDefaultName``, which has the same
/// value.
public let CKOwnerDefaultName = "__defaultOwner__"
