/// Management: lists the custom roles of a container in one environment, and the users that have
/// custom roles.
public enum ListRoles: Endpoint {
  public static let path = "roles/list"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The e-mail of the only account to list. nil means that all accounts are listed.
    public var email: String?

    public init(containerID: String, environment: ContainerEnvironment, email: String? = nil) {
      self.containerID = containerID
      self.environment = environment
      self.email = email
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("email", email)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      email = try json.optionalString("email")
    }
  }

  /// A user that has custom roles.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    /// The e-mail of the user's account. nil means that the user belongs to a server-to-server key,
    /// or that the account does not exist any more.
    public var email: String?
    /// The ID of the server-to-server key that acts as this user, or nil if no key does.
    public var serverKeyID: String?
    public var userRecordName: String
    /// The roles of the user, sorted by name.
    public var roles: [String]

    public init(
      email: String?, serverKeyID: String? = nil, userRecordName: String, roles: [String]
    ) {
      self.email = email
      self.serverKeyID = serverKeyID
      self.userRecordName = userRecordName
      self.roles = roles
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("serverKeyID", serverKeyID)
        writer.member("userRecordName", userRecordName)
        writer.member("roles", strings: roles)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.optionalString("email")
      serverKeyID = try json.optionalString("serverKeyID")
      userRecordName = try json.requiredString("userRecordName")
      roles = try json.strings("roles") ?? []
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The custom roles of the schema, sorted by name.
    public var roles: [String]
    /// The users with custom roles, sorted by e-mail.
    public var users: [Item]

    public init(roles: [String], users: [Item]) {
      self.roles = roles
      self.users = users
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("roles", strings: roles)
        writer.member("users", array: users)
      }
    }

    public init(json: JSONView) throws(WireError) {
      roles = try json.strings("roles") ?? []
      users = try json.requiredArray("users")
    }
  }
}

/// Management: gives a custom role to the user of an account or of a server-to-server key.
public enum GrantRole: Endpoint {
  public static let path = "roles/grant"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The e-mail of the account, or nil for a server-to-server key.
    public var email: String?
    /// The ID of the server-to-server key, or nil for an account.
    public var id: String?
    public var role: String

    public init(
      containerID: String, environment: ContainerEnvironment, email: String? = nil,
      serverKeyID id: String? = nil, role: String
    ) {
      self.containerID = containerID
      self.environment = environment
      self.email = email
      self.id = id
      self.role = role
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("email", email)
        writer.member("id", id)
        writer.member("role", role)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      email = try json.optionalString("email")
      id = try json.optionalString("id")
      guard (email == nil) != (id == nil) else {
        throw WireError("give either 'email' or 'id', the ID of a server-to-server key")
      }
      role = try json.requiredString("role")
    }
  }

  public typealias Response = EmptyRequest
}

/// Management: takes a custom role away from the user of an account or of a key.
public enum RevokeRole: Endpoint {
  public static let path = "roles/revoke"

  public typealias Request = GrantRole.Request
  public typealias Response = EmptyRequest
}
