/// `zones/changes`: returns the same zones as `changes/database`, but with other JSON keys. Apple
/// deprecates this endpoint in favor of `changes/database`.
public enum FetchZones: Endpoint {
  public static let path = "zones/changes"

  public struct Request: JSONWritable, JSONReadable {
    /// The change token to continue from. nil means the beginning. A `syncToken` is ignored, as in
    /// Apple's service.
    public var metaSyncToken: String?
    public var resultsLimit: Int?

    public init(metaSyncToken: String? = nil, resultsLimit: Int? = nil) {
      self.metaSyncToken = metaSyncToken
      self.resultsLimit = resultsLimit
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("metaSyncToken", metaSyncToken)
        writer.member("resultsLimit", resultsLimit.map(Int64.init))
      }
    }

    public init(json: JSONView) throws(WireError) {
      metaSyncToken = try json.optionalString("metaSyncToken")
      resultsLimit = try json.resultsLimit()
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var zones: [ZoneDictionary]
    public var metaSyncToken: String
    public var moreComing: Bool

    public init(zones: [ZoneDictionary], metaSyncToken: String, moreComing: Bool) {
      self.zones = zones
      self.metaSyncToken = metaSyncToken
      self.moreComing = moreComing
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zones", array: zones)
        writer.member("metaSyncToken", metaSyncToken)
        writer.member("moreComing", moreComing)
      }
    }

    public init(json: JSONView) throws(WireError) {
      zones = try json.requiredArray("zones")
      metaSyncToken = try json.requiredString("metaSyncToken")
      moreComing = json["moreComing"]?.bool ?? false
    }
  }
}
