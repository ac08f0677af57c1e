/// Management: creates a web auth token, with which scripts and tests act as an account.
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

/// Management: lists every valid session, in order of creation.
public enum ListWebTokens: Endpoint {
  public static let path = "web-tokens/list"

  public typealias Request = EmptyRequest

  /// One session, which contains all web auth tokens of one sign-in.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    /// The beginning of the session's ID.
    public var id: String
    public var email: String
    public var containerID: String
    public var environment: String
    /// The time of the sign-in, in milliseconds since 1970 UTC, like the other times of the
    /// session.
    public var createdAt: Int64
    /// The time of the last use, accurate to the hour.
    public var lastUsedAt: Int64
    /// The time at which the session ends, even if it is in use.
    public var endsAt: Int64

    public init(
      id: String, email: String, containerID: String, environment: String, createdAt: Int64,
      lastUsedAt: Int64, endsAt: Int64
    ) {
      self.id = id
      self.email = email
      self.containerID = containerID
      self.environment = environment
      self.createdAt = createdAt
      self.lastUsedAt = lastUsedAt
      self.endsAt = endsAt
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("id", id)
        writer.member("email", email)
        writer.member("containerID", containerID)
        writer.member("environment", environment)
        writer.member("createdAt", createdAt)
        writer.member("lastUsedAt", lastUsedAt)
        writer.member("endsAt", endsAt)
      }
    }

    public init(json: JSONView) throws(WireError) {
      id = try json.requiredString("id")
      email = try json.requiredString("email")
      containerID = try json.requiredString("containerID")
      environment = try json.requiredString("environment")
      createdAt = json["createdAt"]?.int64 ?? 0
      lastUsedAt = json["lastUsedAt"]?.int64 ?? 0
      endsAt = json["endsAt"]?.int64 ?? 0
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var sessions: [Item]

    public init(sessions: [Item]) { self.sessions = sessions }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("webTokens", array: sessions) }
    }

    public init(json: JSONView) throws(WireError) {
      sessions = try json.requiredArray("webTokens")
    }
  }
}

/// Management: ends a session and all its web auth tokens.
public enum RevokeWebToken: Endpoint {
  public static let path = "web-tokens/revoke"

  public typealias Request = TokenIDRequest
  public typealias Response = EmptyRequest
}

/// Management: replaces the keys that seal web auth tokens and asset URLs. Tokens and URLs that
/// were sealed with the previous keys stay valid until the next rotation.
public enum RotateWebTokenKey: Endpoint {
  public static let path = "web-tokens/rotate-key"

  public typealias Request = EmptyRequest
  public typealias Response = EmptyRequest
}
