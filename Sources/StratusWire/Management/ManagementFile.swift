/// What a running server leaves in its data folder, for the commands that manage it: where it is,
/// and the token that lets them in. Only the folder's owner can read it.
public struct ManagementFile: JSONWritable, JSONReadable, Hashable {
  /// The file's name in the data folder.
  public static let name = "management.json"

  /// Where the commands go: `http+unix://` and a socket's path, or `http://127.0.0.1:` and a port.
  public var url: String
  public var token: String
  /// Where clients go; nil: an earlier server wrote the file.
  public var serverURL: String?
  /// Lets an app call; only from a server for developers.
  public var apiToken: String?
  /// The developer's; only from a server for developers.
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
