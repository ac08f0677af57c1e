/// The file that a running server writes into its data folder for the management commands. The file
/// contains the server's address and an access token. Only the folder's owner can read the file.
public struct ManagementFile: JSONWritable, JSONReadable, Hashable {
  /// The name of the file in the data folder.
  public static let name = "management.json"

  /// The address for management commands. It is `http+unix://` with a socket's path, or
  /// `http://127.0.0.1:` with a port.
  public var url: String
  public var token: String
  /// The address for clients. nil means that an earlier server version wrote the file.
  public var serverURL: String?
  /// The API token for apps. Only a development server writes it.
  public var apiToken: String?
  /// The developer's web auth token. Only a development server writes it.
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
