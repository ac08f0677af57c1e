public import Foundation

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

  /// The zone's ID.
  public let zoneID: CKRecordZone.ID
  /// What the zone can do; empty unless the zone came from the server.
  public let capabilities: Capabilities

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

  init(zoneID: CKRecordZone.ID, capabilities: Capabilities) {
    self.zoneID = zoneID
    self.capabilities = capabilities
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

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
  }

  public func encode(with coder: NSCoder) {
    coder.encode(zoneID, forKey: "ZoneID")
    coder.encode(Int(capabilities.rawValue), forKey: "Capabilities")
  }
}
