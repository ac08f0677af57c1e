/// `zones/modify`: creates and deletes custom zones of a private database. In the shared database,
/// a participant who deletes a zone leaves all shares of the zone.
public enum ModifyZones: Endpoint {
  public static let path = "zones/modify"

  /// Returns the number of operations in the request.
  public static func operationsCount(of request: Request) -> Int { request.operations.count }

  /// One zone to create or delete.
  public struct Operation: JSONWritable, JSONReadable {
    /// Whether the zone is created or deleted.
    public enum Kind: String, Sendable { case create, delete }

    public var kind: Kind
    public var zoneID: ZoneID
    /// The encryption scope of a new zone. nil means the default. If the zone exists already with
    /// another scope, the server refuses the operation.
    public var encryptionScope: EncryptionScope?

    public init(_ kind: Kind, _ zoneID: ZoneID, encryptionScope: EncryptionScope? = nil) {
      self.encryptionScope = encryptionScope
      self.kind = kind
      self.zoneID = zoneID
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("operationType", kind.rawValue)
        writer.key("zone")
        writer.object { writer in
          writer.member("zoneID", zoneID)
          writer.member("encryptionScope", encryptionScope?.rawValue)
        }
      }
    }

    public init(json: JSONView) throws(WireError) {
      let kind = try json.requiredString("operationType")
      guard let kind = Kind(rawValue: kind) else {
        throw WireError("Unknown operationType '\(kind)'; zones know create and delete")
      }
      guard let zone = json["zone"] else { throw .missing("zone") }
      self.init(
        kind, try WrappedZoneID(json: zone).zoneID,
        encryptionScope: try EncryptionScope(zone: zone))
    }
  }

  public struct Request: JSONWritable, JSONReadable {
    public var operations: [Operation]
    /// Whether the dictionary of each created zone includes its ``ZoneDictionary/incarnation``.
    public var showsIncarnations: Bool

    public init(operations: [Operation], showsIncarnations: Bool = false) {
      self.operations = operations
      self.showsIncarnations = showsIncarnations
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("operations", array: operations)
        if showsIncarnations { writer.member("incarnations", true) }
      }
    }

    public init(json: JSONView) throws(WireError) {
      operations = try json.requiredArray("operations")
      showsIncarnations = try json.optionalBool("incarnations") ?? false
    }
  }

  public typealias Response = ListZones.Response
}
