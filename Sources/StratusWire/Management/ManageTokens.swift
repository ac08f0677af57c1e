/// Management: makes an API token for one container in one environment.
public enum CreateAPIToken: Endpoint {
  public static let path = "api-tokens/create"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment

    public init(containerID: String, environment: ContainerEnvironment) {
      self.containerID = containerID
      self.environment = environment
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
    }
  }

  public typealias Response = TokenResponse
}

/// Management: makes a web auth token, with which scripts and tests call as an account.
public enum CreateWebToken: Endpoint {
  public static let path = "web-tokens/create"

  public struct Request: JSONWritable, JSONReadable {
    public var email: String
    public var containerID: String
    public var environment: ContainerEnvironment

    public init(email: String, containerID: String, environment: ContainerEnvironment) {
      self.email = email
      self.containerID = containerID
      self.environment = environment
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
    }
  }

  public typealias Response = TokenResponse
}

/// A token that was made.
public struct TokenResponse: JSONWritable, JSONReadable {
  public var token: String

  public init(token: String) { self.token = token }

  public func write(to writer: inout JSONWriter) {
    writer.object { $0.member("token", token) }
  }

  public init(json: JSONView) throws(WireError) { token = try json.requiredString("token") }
}

extension JSONView {
  func environment() throws(WireError) -> ContainerEnvironment {
    let name = try requiredString("environment")
    guard let environment = ContainerEnvironment(rawValue: name) else {
      throw .wrongType("environment", expected: "development or production")
    }
    return environment
  }
}
