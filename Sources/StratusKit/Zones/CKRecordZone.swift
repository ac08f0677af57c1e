public import Foundation
import Synchronization

/// A part of a database, with a name, whose records can be saved together and followed.
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  public typealias ID = CKRecordZoneID

  /// What a zone can do.
  public struct Capabilities: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Its changes since a token can be fetched.
    public static let fetchChanges = Capabilities(rawValue: 1 << 0)
    /// Several of its records can be saved whole or not at all.
    public static let atomic = Capabilities(rawValue: 1 << 1)
    /// A record of it and what hangs on it can be shared.
    public static let sharing = Capabilities(rawValue: 1 << 2)
    /// It can be shared as a whole.
    public static let zoneWideSharing = Capabilities(rawValue: 1 << 3)
  }

  /// What the encrypted values of a zone can be shared by.
  public enum EncryptionScope: Int, Sendable {
    /// Record by record.
    case perRecord = 0
    /// The zone as a whole.
    case perZone = 1
  }

  /// The zone's ID.
  public let zoneID: CKRecordZone.ID
  /// What the zone can do; empty unless the zone came from the server.
  public let capabilities: Capabilities
  /// The share of the whole zone; nil if the zone as a whole is not shared. The server alone sets
  /// it.
  public let share: CKRecord.Reference?

  private let scope: Mutex<(scope: EncryptionScope, isExplicit: Bool)>

  /// What the zone's encrypted values can be shared by; `.perRecord` by default. Kept with the zone
  /// when it is first saved; saving it later with another is `CKError.invalidArguments`.
  ///
  /// Choice: values are sealed alike under both, with a key for each record. What differs is which
  /// keys a share can hand out.
  public var encryptionScope: EncryptionScope {
    get { scope.withLock { $0.scope } }
    set { scope.withLock { $0 = (newValue, true) } }
  }

  /// The scope, if somebody set it.
  var explicitEncryptionScope: EncryptionScope? {
    scope.withLock { $0.isExplicit ? $0.scope : nil }
  }

  /// The zone every database has.
  public class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

  /// A zone of the current user, to be saved. An empty name is a programmer's error.
  public convenience init(zoneName: String) {
    self.init(zoneID: CKRecordZoneID(zoneName: zoneName))
  }

  /// A zone, to be saved.
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

  /// An independent zone with the same properties.
  public func copy(with zone: NSZone? = nil) -> Any {
    let (encryptionScope, isExplicit) = scope.withLock { $0 }
    return CKRecordZone(
      zoneID: zoneID, capabilities: capabilities, share: share,
      encryptionScope: encryptionScope, isExplicit: isExplicit)
  }

  public override var description: String {
    "<CKRecordZone: zoneID=\(zoneID), capabilities=\(capabilities.rawValue)>"
  }

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
