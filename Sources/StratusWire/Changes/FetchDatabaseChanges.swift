/// `changes/database`: lists the zones that were created, changed or deleted.
public enum FetchDatabaseChanges: Endpoint {
  public static let path = "changes/database"

  public struct Request: JSONWritable, JSONReadable {
    /// The change token to continue from. nil means the beginning, and then every zone is listed.
    public var syncToken: String?
    public var resultsLimit: Int?
    /// Whether each zone dictionary includes its ``ZoneDictionary/incarnation``.
    public var showsIncarnations: Bool

    public init(
      syncToken: String? = nil, resultsLimit: Int? = nil, showsIncarnations: Bool = false
    ) {
      self.syncToken = syncToken
      self.resultsLimit = resultsLimit
      self.showsIncarnations = showsIncarnations
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("syncToken", syncToken)
        writer.member("resultsLimit", resultsLimit.map(Int64.init))
        if showsIncarnations { writer.member("incarnations", true) }
      }
    }

    public init(json: JSONView) throws(WireError) {
      syncToken = try json.optionalString("syncToken")
      resultsLimit = try json.resultsLimit()
      showsIncarnations = try json.optionalBool("incarnations") ?? false
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var zones: [ZoneDictionary]
    public var syncToken: String
    public var moreComing: Bool

    public init(zones: [ZoneDictionary], syncToken: String, moreComing: Bool) {
      self.zones = zones
      self.syncToken = syncToken
      self.moreComing = moreComing
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zones", array: zones)
        writer.member("syncToken", syncToken)
        writer.member("moreComing", moreComing)
      }
    }

    public init(json: JSONView) throws(WireError) {
      zones = try json.requiredArray("zones")
      syncToken = try json.requiredString("syncToken")
      moreComing = json["moreComing"]?.bool ?? false
    }
  }
}
