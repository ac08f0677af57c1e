/// The role of a member in the server's team. It decides what the member may do in the console.
///
/// A team role is not a security role, and not a role in a zone.
public enum TeamRole: String, Sendable, Hashable, CaseIterable {
  /// May do everything. The last owner cannot be removed.
  case owner
  /// Changes the development schema, and manages API tokens and server-to-server keys. Opens
  /// databases as the user of the member's own account, or of a test account.
  case developer
  /// Keeps the server running: manages containers, indexes, accounts and quotas, and sees the
  /// server's state, the request log and the audit log. Sees no records.
  case `operator`
  /// Reads the state of the server, the schemas, the request log and the audit log. Changes
  /// nothing.
  case auditor
}

/// Management: adds a member to the team. If the account is in the team already, its role and
/// containers are replaced.
public enum AddMember: Endpoint {
  public static let path = "team/add"

  public struct Request: JSONWritable, JSONReadable {
    /// The e-mail address of an account of the server.
    public var email: String
    public var role: TeamRole
    /// The IDs of the containers that the member can see, or nil for all containers.
    public var containerIDs: [String]?

    public init(email: String, role: TeamRole, containerIDs: [String]? = nil) {
      self.email = email
      self.role = role
      self.containerIDs = containerIDs
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("role", role.rawValue)
        writer.member("containerIDs", strings: containerIDs)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      role = try json.teamRole()
      containerIDs = try json.strings("containerIDs")
    }
  }

  public typealias Response = EmptyRequest
}

/// Management: changes the role and the containers of a member.
public enum ConfigureMember: Endpoint {
  public static let path = "team/configure"

  public typealias Request = AddMember.Request
  public typealias Response = EmptyRequest
}

/// Management: removes a member from the team. The account stays.
public enum RemoveMember: Endpoint {
  public static let path = "team/remove"

  public struct Request: JSONWritable, JSONReadable {
    public var email: String

    public init(email: String) { self.email = email }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("email", email) }
    }

    public init(json: JSONView) throws(WireError) { email = try json.requiredString("email") }
  }

  public typealias Response = EmptyRequest
}

/// Management: lists the members of the team.
public enum ListMembers: Endpoint {
  public static let path = "team/list"

  public typealias Request = EmptyRequest

  /// A member of the team.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    public var email: String
    public var role: TeamRole
    /// The IDs of the containers that the member can see, or nil for all containers.
    public var containerIDs: [String]?
    /// The time when the member was added, in milliseconds since 1970 UTC.
    public var addedAt: Int64
    /// The time of the member's last request to the console, or nil if there was none.
    public var lastUsedAt: Int64?

    public init(
      email: String, role: TeamRole, containerIDs: [String]?, addedAt: Int64, lastUsedAt: Int64?
    ) {
      self.email = email
      self.role = role
      self.containerIDs = containerIDs
      self.addedAt = addedAt
      self.lastUsedAt = lastUsedAt
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("role", role.rawValue)
        writer.member("containerIDs", strings: containerIDs)
        writer.member("addedAt", addedAt)
        writer.member("lastUsedAt", lastUsedAt)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      role = try json.teamRole()
      containerIDs = try json.strings("containerIDs")
      addedAt = json["addedAt"]?.int64 ?? 0
      lastUsedAt = json["lastUsedAt"]?.int64
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var members: [Item]

    public init(members: [Item]) { self.members = members }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("members", array: members) }
    }

    public init(json: JSONView) throws(WireError) {
      members = try json.requiredArray("members")
    }
  }
}

extension JSONView {
  func teamRole() throws(WireError) -> TeamRole {
    guard let role = TeamRole(rawValue: try requiredString("role")) else {
      throw .wrongType("role", expected: "owner, developer, operator or auditor")
    }
    return role
  }
}
