/// The file that a running server writes into its data folder for the management commands. It
/// contains the server's address and the token for access. Only the folder's owner can read it.
public struct ManagementFile: JSONWritable, JSONReadable, Hashable {
  /// The file's name in the data folder.
  public static let name = "management.json"

  /// The address for commands: `http+unix://` and a socket's path, or `http://127.0.0.1:` and a
  /// port.
  public var url: String
  public var token: String
  /// The address for clients. nil: an earlier server version wrote the file.
  public var serverURL: String?
  /// The API token for apps. Only in the file of a development server.
  public var apiToken: String?
  /// The developer's web auth token. Only in the file of a development server.
  public var webAuthToken: String?

  public init(
    url: String, token: String, serverURL: String? = nil, apiToken: String? = nil,
    webAuthToken: String? = nil
  ) {
    self.url = url
    self.token = token
    self.serverURL = serverURL
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("url", url)
      writer.member("token", token)
      writer.member("serverURL", serverURL)
      writer.member("apiToken", apiToken)
      writer.member("webAuthToken", webAuthToken)
    }
  }

  public init(json: JSONView) throws(WireError) {
    url = try json.requiredString("url")
    token = try json.requiredString("token")
    serverURL = try json.optionalString("serverURL")
    apiToken = try json.optionalString("apiToken")
    webAuthToken = try json.optionalString("webAuthToken")
  }
}
