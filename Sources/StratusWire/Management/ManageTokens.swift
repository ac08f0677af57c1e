/// Management: creates an API token for one container in one environment.
public enum CreateAPIToken: Endpoint {
  public static let path = "api-tokens/create"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The operator's name for the token.
    public var name: String?
    /// The origins whose web pages may use the token. nil means all origins.
    public var allowedOrigins: [String]?
    /// The URL to which the browser goes after a sign-in. nil means that the sign-in page posts a
    /// message to the page that opened it.
    public var callbackURL: String?

    public init(
      containerID: String, environment: ContainerEnvironment, name: String? = nil,
      allowedOrigins: [String]? = nil, callbackURL: String? = nil
    ) {
      self.containerID = containerID
      self.environment = environment
      self.name = name
      self.allowedOrigins = allowedOrigins
      self.callbackURL = callbackURL
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("name", name)
        writer.member("allowedOrigins", strings: allowedOrigins)
        writer.member("callbackURL", callbackURL)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      name = try json.optionalString("name")
      allowedOrigins = try json.strings("allowedOrigins")
      callbackURL = try json.optionalString("callbackURL")
    }
  }

  public typealias Response = TokenResponse
}

/// Management: lists all API tokens without their secret values, which the server does not store.
public enum ListAPITokens: Endpoint {
  public static let path = "api-tokens/list"

  public typealias Request = EmptyRequest

  /// One API token.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    public var id: String
    public var containerID: String
    public var environment: String
    public var name: String
    /// The origins whose web pages may use the token. nil means all origins.
    public var allowedOrigins: [String]?
    /// The URL to which the browser goes after a sign-in. See
    /// ``CreateAPIToken/Request/callbackURL``.
    public var callbackURL: String?
    /// The time of the creation, in milliseconds since 1970 UTC. nil means that an earlier version
    /// of the server created the token.
    public var createdAt: Int64?

    public init(
      id: String, containerID: String, environment: String, name: String,
      allowedOrigins: [String]?, callbackURL: String?, createdAt: Int64?
    ) {
      self.id = id
      self.containerID = containerID
      self.environment = environment
      self.name = name
      self.allowedOrigins = allowedOrigins
      self.callbackURL = callbackURL
      self.createdAt = createdAt
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("id", id)
        writer.member("containerID", containerID)
        writer.member("environment", environment)
        writer.member("name", name)
        writer.member("allowedOrigins", strings: allowedOrigins)
        writer.member("callbackURL", callbackURL)
        writer.member("createdAt", createdAt)
      }
    }

    public init(json: JSONView) throws(WireError) {
      id = try json.requiredString("id")
      containerID = try json.requiredString("containerID")
      environment = try json.requiredString("environment")
      name = try json.optionalString("name") ?? ""
      allowedOrigins = try json.strings("allowedOrigins")
      callbackURL = try json.optionalString("callbackURL")
      createdAt = json["createdAt"]?.int64
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var tokens: [Item]

    public init(tokens: [Item]) { self.tokens = tokens }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("apiTokens", array: tokens) }
    }

    public init(json: JSONView) throws(WireError) {
      tokens = try json.requiredArray("apiTokens")
    }
  }
}

/// Management: revokes an API token immediately.
public enum RevokeAPIToken: Endpoint {
  public static let path = "api-tokens/revoke"

  public typealias Request = TokenIDRequest
  public typealias Response = EmptyRequest
}

/// A request that names a token by its ID.
public struct TokenIDRequest: JSONWritable, JSONReadable {
  public var id: String

  public init(id: String) { self.id = id }

  public func write(to writer: inout JSONWriter) {
    writer.object { $0.member("id", id) }
  }

  public init(json: JSONView) throws(WireError) { id = try json.requiredString("id") }
}

/// The answer of an endpoint that creates a token.
public struct TokenResponse: JSONWritable, JSONReadable {
  public var token: String
  /// The ID that identifies the token in lists.
  public var id: String?

  public init(token: String, id: String? = nil) {
    self.token = token
    self.id = id
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("token", token)
      writer.member("id", id)
    }
  }

  public init(json: JSONView) throws(WireError) {
    token = try json.requiredString("token")
    id = try json.optionalString("id")
  }
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
