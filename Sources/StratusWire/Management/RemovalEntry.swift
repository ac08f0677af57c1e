/// A removal or a revocation that a restore of an older backup must not undo.
///
/// NB: an entry contains IDs but no secrets, so a thief of the journal cannot sign in with it.
public struct RemovalEntry: Sendable, Hashable {
  /// The kind of thing that was removed, revoked or changed.
  public enum Kind: String, Sendable, CaseIterable {
    /// An account was deleted. ``detail`` is the ``PublicRecordsChoice``.
    case account
    /// A session of an app ended. ``subject`` is the first half of its ID.
    case session
    /// All sessions of apps of an account ended.
    case sessions
    /// The session of a browser ended. ``subject`` is the first half of the hash of its cookie, and
    /// ``detail`` the account.
    case browserSession
    /// All sessions of browsers of an account ended.
    case browserSessions
    /// The password of an account was removed or replaced.
    case password
    /// A passkey was removed. ``subject`` is its ID, in hex digits.
    case passkey
    /// A link to an account at another provider was removed. ``subject`` is the account at the
    /// provider, and ``detail`` the provider.
    case providerLink
    /// An API token was revoked. ``subject`` is its ID.
    case apiToken
    /// A server-to-server key was revoked. ``subject`` is its ID.
    case serverKey
    /// A role was revoked. ``subject`` is the record name of the user, and ``detail`` the role.
    case role
    /// An account was removed from the team.
    case member
    case disabled
    case enabled
    /// An account was restricted. ``detail`` is ``RemovalEntry/byUser`` if its user did it, and nil
    /// if the operator or a member of the team did it.
    case restricted
    case unrestricted
  }

  /// The ``detail`` of a restriction that the user made.
  public static let byUser = "user"

  /// The time of the removal or revocation, in milliseconds since 1970 UTC.
  public var time: Int64
  public var kind: Kind
  /// The ID of the account, unless the kind says otherwise.
  public var subject: String
  public var detail: String?
  public var containerID: String?
  public var environment: ContainerEnvironment?

  public init(
    time: Int64, kind: Kind, subject: String, detail: String? = nil, containerID: String? = nil,
    environment: ContainerEnvironment? = nil
  ) {
    self.time = time
    self.kind = kind
    self.subject = subject
    self.detail = detail
    self.containerID = containerID
    self.environment = environment
  }
}

extension RemovalEntry: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("time", time)
      writer.member("kind", kind.rawValue)
      writer.member("subject", subject)
      writer.member("detail", detail)
      writer.member("containerID", containerID)
      writer.member("environment", environment?.rawValue)
    }
  }

  /// - Throws: ``WireError`` if a required member is missing, or if the kind is unknown.
  public init(json: JSONView) throws(WireError) {
    guard let time = json["time"]?.int64,
      let kind = Kind(rawValue: try json.requiredString("kind"))
    else { throw WireError("an entry of the journal of removals cannot be read") }
    self.init(
      time: time, kind: kind, subject: try json.requiredString("subject"),
      detail: try json.optionalString("detail"),
      containerID: try json.optionalString("containerID"),
      environment: try json.optionalString("environment").flatMap {
        ContainerEnvironment(rawValue: $0)
      })
  }
}
