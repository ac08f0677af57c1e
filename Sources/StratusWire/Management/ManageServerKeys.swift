/// Management: registers the public half of a server-to-server key for one container in one
/// environment.
public enum AddServerKey: Endpoint {
  public static let path = "server-keys/add"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The public key as PEM (`BEGIN PUBLIC KEY`), on the curve P-256.
    public var publicKey: String
    /// The operator's name for the key.
    public var name: String?

    public init(
      containerID: String, environment: ContainerEnvironment, publicKey: String,
      name: String? = nil
    ) {
      self.containerID = containerID
      self.environment = environment
      self.publicKey = publicKey
      self.name = name
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("publicKey", publicKey)
        writer.member("name", name)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      publicKey = try json.requiredString("publicKey")
      name = try json.optionalString("name")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The key ID with which requests name the key. It has 64 hex digits.
    public var id: String
    /// The user record name of the key. Records that the key creates belong to this user.
    public var userRecordName: String

    public init(id: String, userRecordName: String) {
      self.id = id
      self.userRecordName = userRecordName
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("id", id)
        writer.member("userRecordName", userRecordName)
      }
    }

    public init(json: JSONView) throws(WireError) {
      id = try json.requiredString("id")
      userRecordName = try json.requiredString("userRecordName")
    }
  }
}

/// Management: lists all server-to-server keys, including the revoked ones.
public enum ListServerKeys: Endpoint {
  public static let path = "server-keys/list"

  public typealias Request = EmptyRequest

  /// One server-to-server key.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    public var id: String
    public var containerID: String
    public var environment: String
    public var name: String
    public var userRecordName: String
    /// The time of the registration, in milliseconds since 1970 UTC.
    public var createdAt: Int64
    /// The time of the revocation, in milliseconds since 1970 UTC. nil means that the key is valid.
    public var revokedAt: Int64?

    public init(
      id: String, containerID: String, environment: String, name: String, userRecordName: String,
      createdAt: Int64, revokedAt: Int64?
    ) {
      self.id = id
      self.containerID = containerID
      self.environment = environment
      self.name = name
      self.userRecordName = userRecordName
      self.createdAt = createdAt
      self.revokedAt = revokedAt
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("id", id)
        writer.member("containerID", containerID)
        writer.member("environment", environment)
        writer.member("name", name)
        writer.member("userRecordName", userRecordName)
        writer.member("createdAt", createdAt)
        writer.member("revokedAt", revokedAt)
      }
    }

    public init(json: JSONView) throws(WireError) {
      id = try json.requiredString("id")
      containerID = try json.requiredString("containerID")
      environment = try json.requiredString("environment")
      name = try json.optionalString("name") ?? ""
      userRecordName = try json.requiredString("userRecordName")
      createdAt = json["createdAt"]?.int64 ?? 0
      revokedAt = json["revokedAt"]?.int64
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var keys: [Item]

    public init(keys: [Item]) { self.keys = keys }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("serverKeys", array: keys) }
    }

    public init(json: JSONView) throws(WireError) {
      keys = try json.requiredArray("serverKeys")
    }
  }
}

/// Management: revokes a server-to-server key immediately.
public enum RevokeServerKey: Endpoint {
  public static let path = "server-keys/revoke"

  public typealias Request = TokenIDRequest
  public typealias Response = EmptyRequest
}
