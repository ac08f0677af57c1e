/// The data that a browser signs together with the authenticator's data (WebAuthn §5.8.1). Unknown
/// members are ignored, as the standard demands.
public struct CollectedClientData: JSONReadable, Hashable {
  /// `webauthn.create` or `webauthn.get`.
  public var type: String
  /// The challenge, in the base64 encoding for URLs.
  public var challenge: String
  /// The origin of the page that used the passkey.
  public var origin: String
  /// Whether the page was in a frame of another origin.
  public var isCrossOrigin: Bool
  /// The origin of the outermost page, if it differs from ``origin``.
  public var topOrigin: String?

  public init(json: JSONView) throws(WireError) {
    type = try json.requiredString("type")
    challenge = try json.requiredString("challenge")
    origin = try json.requiredString("origin")
    isCrossOrigin = try json.optionalBool("crossOrigin") ?? false
    topOrigin = try json.optionalString("topOrigin")
  }
}

/// The options with which a page asks a browser for a passkey (WebAuthn §5.4 and §5.5), in the form
/// that the page's script reads.
public struct PasskeyOptions: JSONWritable {
  /// The account for which a passkey is created.
  public struct User: Sendable {
    /// The user handle, in the base64 encoding for URLs.
    public var id: String
    /// The name that the browser shows.
    public var name: String
    /// The COSE numbers of the algorithms, in order of preference.
    public var algorithms: [Int64]
    /// The IDs of the account's passkeys, in the base64 encoding for URLs. An authenticator that
    /// has one of them creates no other.
    public var excluded: [String]

    public init(id: String, name: String, algorithms: [Int64], excluded: [String]) {
      self.id = id
      self.name = name
      self.algorithms = algorithms
      self.excluded = excluded
    }
  }

  /// The challenge, in the base64 encoding for URLs.
  public var challenge: String
  /// The relying party's ID.
  public var serverID: String
  /// The time that the browser gives the user, in milliseconds.
  public var timeoutMilliseconds: Int64
  /// The account of a new passkey, or nil for a sign-in. The options of a sign-in name no passkeys,
  /// so that the browser offers all its passkeys for this server.
  public var user: User?

  public init(
    challenge: String, serverID: String, timeoutMilliseconds: Int64, user: User? = nil
  ) {
    self.challenge = challenge
    self.serverID = serverID
    self.timeoutMilliseconds = timeoutMilliseconds
    self.user = user
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("challenge", challenge)
      writer.member("timeout", timeoutMilliseconds)
      guard let user else {
        writer.member("rpId", serverID)
        writer.member("userVerification", "required")
        return
      }
      Self.object("rp", in: &writer) { writer in
        writer.member("id", serverID)
        writer.member("name", serverID)
      }
      Self.object("user", in: &writer) { writer in
        writer.member("id", user.id)
        writer.member("name", user.name)
        writer.member("displayName", user.name)
      }
      Self.list("pubKeyCredParams", user.algorithms, in: &writer) { writer, algorithm in
        writer.member("type", "public-key")
        writer.member("alg", algorithm)
      }
      Self.list("excludeCredentials", user.excluded, in: &writer) { writer, id in
        writer.member("type", "public-key")
        writer.member("id", id)
      }
      Self.object("authenticatorSelection", in: &writer) { writer in
        writer.member("residentKey", "required")
        writer.member("requireResidentKey", true)
        writer.member("userVerification", "required")
      }
      writer.member("attestation", "none")
    }
  }

  private static func object(
    _ key: StaticString, in writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void
  ) {
    writer.key(key)
    writer.object(body)
  }

  private static func list<Item>(
    _ key: StaticString, _ items: [Item], in writer: inout JSONWriter,
    _ body: (inout JSONWriter, Item) -> Void
  ) {
    writer.key(key)
    writer.array { writer in
      for item in items { writer.object { body(&$0, item) } }
    }
  }
}
