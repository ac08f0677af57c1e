public import Foundation
import StratusArchive
import Synchronization

/// A named part of a database. The records of a custom zone can be saved atomically, and the
/// changes of a custom zone can be fetched.
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// Identifies a zone in a database.
  public typealias ID = CKRecordZoneID

  /// The features of a zone.
  public struct Capabilities: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An app can fetch the changes of the zone that are newer than a change token.
    public static let fetchChanges = Capabilities(rawValue: 1 << 0)
    /// Several records of the zone can be saved atomically.
    public static let atomic = Capabilities(rawValue: 1 << 1)
    /// A record of the zone can be shared together with its descendants.
    public static let sharing = Capabilities(rawValue: 1 << 2)
    /// The zone can be shared as a whole.
    public static let zoneWideSharing = Capabilities(rawValue: 1 << 3)
  }

  /// The unit in which a zone's encrypted values can be shared.
  public enum EncryptionScope: Int, Sendable {
    /// Each record can be shared by itself.
    case perRecord = 0
    /// The zone can only be shared as a whole.
    case perZone = 1
  }

  /// The zone's ID.
  public let zoneID: CKRecordZone.ID
  /// The features of the zone; empty unless the zone was fetched from the server.
  public let capabilities: Capabilities
  /// The share of the whole zone; nil if the zone as a whole is not shared. Only the server sets
  /// the property.
  public let share: CKRecord.Reference?

  private let scope: Mutex<(scope: EncryptionScope, isExplicit: Bool)>

  /// The unit in which the zone's encrypted values can be shared; `.perRecord` by default. The
  /// first save of the zone stores the scope. A later save with another scope fails with
  /// `CKError.invalidArguments`.
  ///
  /// Choice: values are encrypted in the same way under both scopes, with a key for each record.
  /// The scopes differ in the keys that a share can give to its participants.
  public var encryptionScope: EncryptionScope {
    get { scope.withLock { $0.scope } }
    set { scope.withLock { $0 = (newValue, true) } }
  }

  /// The scope that the app has set; nil if it has set none.
  var explicitEncryptionScope: EncryptionScope? {
    scope.withLock { $0.isExplicit ? $0.scope : nil }
  }

  /// The default zone, which the public database and every private database have.
  public class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

  /// Makes a new zone of the current user, which the app can save. An empty name is a programmer
  /// error.
  public convenience init(zoneName: String) {
    self.init(zoneID: CKRecordZoneID(zoneName: zoneName))
  }

  /// Makes a new zone, which the app can save.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, capabilities: [])
  }

  init(
    zoneID: CKRecordZone.ID, capabilities: Capabilities, share: CKRecord.Reference? = nil,
    encryptionScope: EncryptionScope = .perRecord, isExplicit: Bool = false
  ) {
    self.zoneID = zoneID
    self.capabilities = capabilities
    self.share = share
    scope = Mutex((encryptionScope, isExplicit))
  }

  /// Returns an independent zone with the same properties.
  public func copy(with zone: NSZone? = nil) -> Any {
    let (encryptionScope, isExplicit) = scope.withLock { $0 }
    return CKRecordZone(
      zoneID: zoneID, capabilities: capabilities, share: share,
      encryptionScope: encryptionScope, isExplicit: isExplicit)
  }

  public override var description: String {
    "<CKRecordZone: zoneID=\(zoneID), capabilities=\(capabilities.rawValue)>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.recordZone.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived zone; nil if it has no ID.
  public init?(coder: NSCoder) {
    guard let zoneID = coder.object("ZoneID", of: CKRecordZoneID.self) else { return nil }
    self.zoneID = zoneID
    let number = coder.integer("Capabilities") ?? 0
    capabilities = Capabilities(rawValue: UInt(exactly: number) ?? 0)
    share = coder.object("ShareReference", of: CKReference.self)
    let scope = coder.integer("EncryptionScope").flatMap(EncryptionScope.init)
    self.scope = Mutex((scope ?? .perRecord, coder.flag("HasEncryptionScope")))
  }

  public func encode(with coder: NSCoder) {
    coder.encode(zoneID, forKey: "ZoneID")
    coder.encode(Int(capabilities.rawValue), forKey: "Capabilities")
    coder.encode(present: share, forKey: "ShareReference")
    coder.encode(encryptionScope.rawValue, forKey: "EncryptionScope")
    coder.encode(explicitEncryptionScope != nil, forKey: "HasEncryptionScope")
  }
}
