/// Who a user is to an app.
public struct UserIdentity: Sendable, Hashable {
  /// `_` and 32 hex digits, the same for one user in one container, and only there.
  public var userRecordName: String

  public init(userRecordName: String) { self.userRecordName = userRecordName }
}

/// `users/caller`: the user who asks. `users/current` is its deprecated form.
public enum FetchCaller: Endpoint {
  public static let path = "users/caller"

  public typealias Request = EmptyRequest

  /// The identity at top level, where CloudKit JS looks, and in `users`, where the documentation
  /// has it (web-services §4.15).
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

/// `users/current`, deprecated by Apple for `users/caller`.
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
