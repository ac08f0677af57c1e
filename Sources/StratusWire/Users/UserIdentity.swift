/// The identity of a user within one container.
public struct UserIdentity: Sendable, Hashable {
  /// The name of the user: `_` and 32 hex digits. A user has one name in all environments and
  /// databases of a container, and different names in different containers.
  public var userRecordName: String

  public init(userRecordName: String) { self.userRecordName = userRecordName }
}

/// `users/caller`: returns the calling user. It replaces `users/current`, which is deprecated.
public enum FetchCaller: Endpoint {
  public static let path = "users/caller"

  public typealias Request = EmptyRequest

  /// The answer contains the identity at the top level, where CloudKit JS reads it, and in `users`,
  /// as documented.
  public struct Response: JSONWritable, JSONReadable {
    public var user: UserIdentity

    public init(user: UserIdentity) { self.user = user }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        Self.writeMembers(of: user, to: &writer)
        writer.key("users")
        writer.array { writer in
          writer.object { Self.writeMembers(of: user, to: &$0) }
        }
      }
    }

    private static func writeMembers(of user: UserIdentity, to writer: inout JSONWriter) {
      writer.member("userRecordName", user.userRecordName)
      writer.key("lookupInfo")
      writer.object { $0.member("userRecordName", user.userRecordName) }
    }

    public init(json: JSONView) throws(WireError) {
      user = UserIdentity(userRecordName: try json.requiredString("userRecordName"))
    }
  }
}

/// `users/current`: returns the calling user. Apple deprecates this endpoint in favor of
/// `users/caller`.
public enum FetchCurrentUser: Endpoint {
  public static let path = "users/current"

  public typealias Request = EmptyRequest

  public struct Response: JSONWritable, JSONReadable {
    public var user: UserIdentity

    public init(user: UserIdentity) { self.user = user }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("userRecordName", user.userRecordName) }
    }

    public init(json: JSONView) throws(WireError) {
      user = UserIdentity(userRecordName: try json.requiredString("userRecordName"))
    }
  }
}
