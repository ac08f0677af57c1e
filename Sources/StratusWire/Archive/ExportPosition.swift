/// How far the export of an account has got. The server seals this position into the cursor that it
/// returns with each piece.
public struct ExportPosition: Sendable, Hashable {
  /// The section of a store that is exported next.
  public enum Section: Int64, Sendable {
    /// The user's keys, shares and devices.
    case user = 0
    /// The zones of the private database, and then the subscriptions.
    case zones = 1
    /// The records of the public database that the user has created.
    case publicRecords = 2
  }

  public var accountID: String
  /// The start of the export, in milliseconds since 1970 UTC.
  public var begunAt: Int64
  /// The number of the next file.
  public var file: Int64 = 1
  /// The store that is exported now, or nil before the first one.
  public var containerID: String?
  public var environment: ContainerEnvironment?
  public var section = Section.user
  /// The zone that is exported now, or the last zone whose export is complete.
  public var zoneName: String?
  /// Whether the export of the zone ``zoneName`` has begun and is not complete yet.
  public var isInZone = false
  /// The change number up to which the records of the zone were written into the export.
  public var after: Int64 = 0
  /// The newest change of the zone when its export began. Later changes are left out, so that an
  /// export of a busy zone ends.
  public var through: Int64 = 0
  /// The checksum, in hex digits, of the asset that is being written, or else of the last asset
  /// that is complete. It is nil if no asset of the present page of records was written.
  public var asset: String?
  /// The number of bytes of ``asset`` that were written, or nil if no asset is incomplete.
  public var assetOffset: Int64?

  public init(accountID: String, begunAt: Int64) {
    self.accountID = accountID
    self.begunAt = begunAt
  }
}

extension ExportPosition: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("a", accountID)
      writer.member("t", begunAt)
      writer.member("f", file)
      writer.member("c", containerID)
      writer.member("e", environment?.rawValue)
      writer.member("s", section.rawValue)
      writer.member("z", zoneName)
      if isInZone { writer.member("i", true) }
      writer.member("n", after)
      writer.member("m", through)
      writer.member("h", asset)
      writer.member("o", assetOffset)
    }
  }

  public init(json: JSONView) throws(WireError) {
    accountID = try json.requiredString("a")
    begunAt = json["t"]?.int64 ?? 0
    file = json["f"]?.int64 ?? 1
    containerID = try json.optionalString("c")
    environment = try json.optionalString("e").flatMap { ContainerEnvironment(rawValue: $0) }
    section = json["s"]?.int64.flatMap { Section(rawValue: $0) } ?? .user
    zoneName = try json.optionalString("z")
    isInZone = try json.optionalBool("i") ?? false
    after = json["n"]?.int64 ?? 0
    through = json["m"]?.int64 ?? 0
    asset = try json.optionalString("h")
    assetOffset = json["o"]?.int64
  }
}
