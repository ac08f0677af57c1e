/// The ID of a zone: its name and its owner.
public struct ZoneID: Sendable, Hashable {
  /// The name of the default zone, which the public database and every private database have.
  public static let defaultZoneName = "_defaultZone"

  public var zoneName: String
  /// The user record name of the owner. nil means the caller.
  public var ownerRecordName: String?

  public init(zoneName: String, ownerRecordName: String? = nil) {
    self.zoneName = zoneName
    self.ownerRecordName = ownerRecordName
  }

  public var isDefault: Bool { zoneName == Self.defaultZoneName }
}

extension ZoneID: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("zoneName", zoneName)
      writer.member("ownerRecordName", ownerRecordName)
      if ownerRecordName != nil {
        writer.member("zoneType", isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
      }
    }
  }

  /// Reads an ID. The key `ownerName` is accepted in place of `ownerRecordName`. A placeholder for
  /// the caller becomes nil.
  public init(json: JSONView) throws(WireError) {
    try json.requireObject("zoneID")
    zoneName = try json.requiredString("zoneName")
    let key: StaticString = json["ownerRecordName"] == nil ? "ownerName" : "ownerRecordName"
    let owner = try json.optionalString(key)
    ownerRecordName = owner.flatMap { Self.placeholders.contains($0) ? nil : $0 }
  }

  private static let placeholders: Set<String> = ["_defaultOwner", "__defaultOwner__", ""]
}
