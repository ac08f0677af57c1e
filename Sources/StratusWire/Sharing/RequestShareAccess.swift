/// `records/access`: the caller asks the owners of shares for access. The endpoint belongs to the
/// public database, like `records/accept`.
///
/// Choice: CloudKit Web Services have no such endpoint, so the path and the format are ours. A
/// request for a share that the caller may not ask for is refused as if the share did not exist.
public enum RequestShareAccess: Endpoint {
  public static let path = "records/access"

  /// Returns the number of shares in the request.
  public static func operationsCount(of request: Request) -> Int { request.shortGUIDs.count }

  public typealias Request = ResolveShares.Request

  /// The results, in the order of the request.
  public struct Response: JSONWritable, JSONReadable {
    public var results: [Result]

    public init(results: [Result]) { self.results = results }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("results", array: results) }
    }

    public init(json: JSONView) throws(WireError) {
      results = try json.requiredArray("results")
    }
  }

  /// The result for one share.
  public struct Result: JSONWritable, JSONReadable {
    public var shortGUID: ShortGUID
    /// The reason why the owner was not asked. nil means that the share's list of requesters
    /// contains the caller, or that the caller already participates.
    public var error: ErrorDictionary?

    public init(shortGUID: ShortGUID, error: ErrorDictionary? = nil) {
      self.shortGUID = shortGUID
      self.error = error
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("shortGUID", shortGUID)
        error?.writeMembers(to: &writer)
      }
    }

    public init(json: JSONView) throws(WireError) {
      shortGUID = try json.optional("shortGUID") ?? ShortGUID(value: "")
      error = json["serverErrorCode"] == nil ? nil : try ErrorDictionary(json: json)
    }
  }
}
