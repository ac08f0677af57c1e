/// `tokens/register`: registers a device token. From then on, the server also sends the caller's
/// notifications to the device with this token.
///
/// The token comes from ``CreateToken``, or from Apple's system if APNs is to deliver the
/// notifications. CloudKit JS reads the same keys from the answers of both endpoints, so the two
/// answers have the same form.
public enum RegisterToken: Endpoint {
  public static let path = "tokens/register"

  public struct Request: JSONWritable, JSONReadable {
    public var apnsEnvironment: ContainerEnvironment
    public var apnsToken: String
    /// The ID of the device. nil means the `clientId` in the URL of the request.
    public var clientID: String?

    public init(
      apnsEnvironment: ContainerEnvironment, apnsToken: String, clientID: String? = nil
    ) {
      self.apnsEnvironment = apnsEnvironment
      self.apnsToken = apnsToken
      self.clientID = clientID
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("apnsEnvironment", apnsEnvironment.rawValue)
        writer.member("apnsToken", apnsToken)
        writer.member("clientId", clientID)
      }
    }

    public init(json: JSONView) throws(WireError) {
      apnsEnvironment = try json.requiredEnvironment("apnsEnvironment")
      apnsToken = try json.requiredString("apnsToken")
      clientID = try json.optionalString("clientId")
    }
  }

  public typealias Response = CreateToken.Response
}
