/// `tokens/create`: registers a device that fetches the caller's notifications by a long poll.
///
/// The path has `device` in place of `database`, and names no database.
public enum CreateToken: Endpoint {
  public static let path = "tokens/create"

  public struct Request: JSONWritable, JSONReadable {
    public var apnsEnvironment: ContainerEnvironment
    /// The ID of the device. nil means the `clientId` in the URL of the request.
    public var clientID: String?

    public init(apnsEnvironment: ContainerEnvironment, clientID: String? = nil) {
      self.apnsEnvironment = apnsEnvironment
      self.clientID = clientID
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("apnsEnvironment", apnsEnvironment.rawValue)
        writer.member("clientId", clientID)
      }
    }

    public init(json: JSONView) throws(WireError) {
      apnsEnvironment = try json.requiredEnvironment("apnsEnvironment")
      clientID = try json.optionalString("clientId")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var apnsEnvironment: ContainerEnvironment
    public var apnsToken: String
    /// The URL to poll. Any client that knows the URL receives the notifications. nil means that
    /// APNs delivers the notifications.
    public var webcourierURL: String?

    public init(apnsEnvironment: ContainerEnvironment, apnsToken: String, webcourierURL: String?) {
      self.apnsEnvironment = apnsEnvironment
      self.apnsToken = apnsToken
      self.webcourierURL = webcourierURL
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("apnsEnvironment", apnsEnvironment.rawValue)
        writer.member("apnsToken", apnsToken)
        writer.member("webcourierURL", webcourierURL)
      }
    }

    public init(json: JSONView) throws(WireError) {
      apnsEnvironment = try json.requiredEnvironment("apnsEnvironment")
      apnsToken = try json.requiredString("apnsToken")
      webcourierURL = try json.optionalString("webcourierURL")
    }
  }
}

extension JSONView {
  func requiredEnvironment(
    _ key: StaticString
  ) throws(WireError) -> ContainerEnvironment {
    let text = try requiredString(key)
    guard let environment = ContainerEnvironment(rawValue: text) else {
      throw WireError("'\(key)' must be development or production")
    }
    return environment
  }
}
