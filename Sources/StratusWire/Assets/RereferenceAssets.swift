/// `assets/rereference`: files that records hold already, with receipts to put them into others.
public enum RereferenceAssets: Endpoint {
  public static let path = "assets/rereference"

  /// A field that holds a file.
  public struct Field: Sendable, Hashable, JSONWritable, JSONReadable {
    public var recordName: String
    public var fieldName: String

    public init(recordName: String, fieldName: String) {
      self.recordName = recordName
      self.fieldName = fieldName
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("recordName", recordName)
        writer.member("fieldName", fieldName)
      }
    }

    public init(json: JSONView) throws(WireError) {
      recordName = try json.requiredString("recordName")
      fieldName = try json.requiredString("fieldName")
    }
  }

  public struct Request: JSONWritable, JSONReadable {
    /// nil: the default zone.
    public var zoneID: ZoneID?
    public var fields: [Field]

    public init(zoneID: ZoneID?, fields: [Field]) {
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
    }
  }

  /// A file, or why there is none.
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
    /// In the order of the request.
    public var items: [Item]

    public init(items: [Item]) { self.items = items }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("assets", array: items) }
    }

    public init(json: JSONView) throws(WireError) { items = try json.requiredArray("assets") }
  }
}
