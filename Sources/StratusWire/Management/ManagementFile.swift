/// What a running server leaves in its data folder, for the commands that manage it: where it is,
/// and the token that lets them in. Only the folder's owner can read it.
public struct ManagementFile: JSONWritable, JSONReadable, Hashable {
  /// The file's name in the data folder.
  public static let name = "management.json"

  public var url: String
  public var token: String

  public init(url: String, token: String) {
    self.url = url
    self.token = token
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("url", url)
      writer.member("token", token)
    }
  }

  public init(json: JSONView) throws(WireError) {
    url = try json.requiredString("url")
    token = try json.requiredString("token")
  }
}
