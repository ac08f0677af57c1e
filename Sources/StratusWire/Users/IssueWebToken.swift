/// `users/token`: returns a web auth token for the calling user, with which a web page can act in
/// the user's name. Apple's server has no such endpoint. The `CKFetchWebAuthTokenOperation` of
/// Stratus calls this endpoint.
public enum IssueWebToken: Endpoint {
  public static let path = "users/token"

  public struct Request: JSONWritable, JSONReadable {
    /// The API token of the web page, which must belong to the same container and environment.
    public var apiToken: String

    public init(apiToken: String) { self.apiToken = apiToken }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("apiToken", apiToken) }
    }

    public init(json: JSONView) throws(WireError) {
      apiToken = try json.requiredString("apiToken")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The web auth token. Its session is that of the caller, and it is valid for 30 minutes.
    public var webAuthToken: String

    public init(webAuthToken: String) { self.webAuthToken = webAuthToken }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("webAuthToken", webAuthToken) }
    }

    public init(json: JSONView) throws(WireError) {
      webAuthToken = try json.requiredString("webAuthToken")
    }
  }
}
