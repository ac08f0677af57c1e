/// `assets/rereference`: returns receipts for files that some records already contain, so that
/// other records can use the same files.
public enum RereferenceAssets: Endpoint {
  public static let path = "assets/rereference"

  public struct Request: JSONWritable, JSONReadable {
    /// The zone of the records. nil means the default zone.
    public var zoneID: ZoneID?
    /// The fields that contain the files, exactly one file each. Each element names the record of
    /// its field.
    public var fields: [AssetFieldID]

    public init(zoneID: ZoneID?, fields: [AssetFieldID]) {
      self.zoneID = zoneID
      self.fields = fields
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneID", zoneID)
        writer.member("assets", array: fields)
      }
    }

    public init(json: JSONView) throws(WireError) {
      zoneID = try json.optional("zoneID")
      fields = try json.requiredArray("assets")
      guard let assets = json["assets"] else { return }
      for element in assets.elements { _ = try element.value.requiredString("recordName") }
    }
  }

  /// The result for one field: its file, or the reason why other records cannot use the file.
  public enum Item: Sendable, JSONWritable, JSONReadable {
    case asset(Asset)
    case failure(recordName: String, ErrorDictionary)

    public func write(to writer: inout JSONWriter) {
      switch self {
      case .asset(let asset): asset.write(to: &writer)
      case .failure(let recordName, let error):
        writer.object { writer in
          writer.member("recordName", recordName)
          error.writeMembers(to: &writer)
        }
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard json["serverErrorCode"] != nil else {
        self = .asset(try Asset(json: json))
        return
      }
      self = .failure(
        recordName: json["recordName"]?.string ?? "", try ErrorDictionary(json: json))
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The results, in the order of the request's fields.
    public var items: [Item]

    public init(items: [Item]) { self.items = items }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("assets", array: items) }
    }

    public init(json: JSONView) throws(WireError) { items = try json.requiredArray("assets") }
  }
}
