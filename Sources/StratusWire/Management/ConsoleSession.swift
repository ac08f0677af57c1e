/// Console: returns the session of the browser.
public enum FetchConsoleSession: Endpoint {
  public static let path = "session/fetch"

  public typealias Request = EmptyRequest
  public typealias Response = ConsoleSession
}

/// Console: makes the first owner of the team, and signs the owner in.
public enum SetUpConsole: Endpoint {
  public static let path = "session/set-up"

  public struct Request: JSONWritable, JSONReadable {
    /// The setup code that the server printed.
    public var code: String
    /// The e-mail address of a new account, or of an existing account that has this password.
    public var email: String
    public var password: String

    public init(code: String, email: String, password: String) {
      self.code = code
      self.email = email
      self.password = password
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("code", code)
        writer.member("email", email)
        writer.member("password", password)
      }
    }

    public init(json: JSONView) throws(WireError) {
      code = try json.requiredString("code")
      email = try json.requiredString("email")
      password = try json.requiredString("password")
    }
  }

  public typealias Response = ConsoleSession
}

/// Console: signs a member of the team in.
public enum SignInToConsole: Endpoint {
  public static let path = "session/sign-in"

  public struct Request: JSONWritable, JSONReadable {
    public var email: String
    public var password: String
    /// The code of the account's second factor, or a recovery code. nil means that the account has
    /// no second factor.
    public var factor: String?

    public init(email: String, password: String, factor: String? = nil) {
      self.email = email
      self.password = password
      self.factor = factor
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("password", password)
        writer.member("factor", factor)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      password = try json.requiredString("password")
      factor = try json.optionalString("factor")
    }
  }

  public typealias Response = ConsoleSession
}

/// Console: checks the password again, before a request that cannot be undone.
public enum ConfirmConsoleSession: Endpoint {
  public static let path = "session/confirm"

  public struct Request: JSONWritable, JSONReadable {
    public var password: String

    public init(password: String) { self.password = password }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("password", password) }
    }

    public init(json: JSONView) throws(WireError) {
      password = try json.requiredString("password")
    }
  }

  public typealias Response = EmptyRequest
}

/// Console: ends the session of the browser.
public enum SignOutOfConsole: Endpoint {
  public static let path = "session/sign-out"

  public typealias Request = EmptyRequest
  public typealias Response = EmptyRequest
}

/// The session of a browser with the console.
public struct ConsoleSession: JSONWritable, JSONReadable {
  /// The signed-in member.
  public struct Member: JSONWritable, JSONReadable, Hashable {
    public var email: String
    public var role: TeamRole

    public init(email: String, role: TeamRole) {
      self.email = email
      self.role = role
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("role", role.rawValue)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      role = try json.teamRole()
    }
  }

  /// Whether the team has an owner.
  public var isSetUp: Bool
  public var version: String
  /// The URL at which apps call the server.
  public var serverURL: String
  /// The signed-in member, or nil if the browser is not signed in.
  public var member: Member?
  /// The names of the member's permissions.
  public var permissions: [String]
  /// The IDs of the containers that the member can see.
  public var containerIDs: [String]
  /// The e-mail addresses of the test accounts in whose names the member can act.
  public var testAccounts: [String]

  public init(
    isSetUp: Bool, version: String, serverURL: String, member: Member? = nil,
    permissions: [String] = [], containerIDs: [String] = [], testAccounts: [String] = []
  ) {
    self.testAccounts = testAccounts
    self.isSetUp = isSetUp
    self.version = version
    self.serverURL = serverURL
    self.member = member
    self.permissions = permissions
    self.containerIDs = containerIDs
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("isSetUp", isSetUp)
      writer.member("version", version)
      writer.member("serverURL", serverURL)
      writer.member("member", member)
      writer.member("permissions", strings: permissions)
      writer.member("containerIDs", strings: containerIDs)
      if !testAccounts.isEmpty { writer.member("testAccounts", strings: testAccounts) }
    }
  }

  public init(json: JSONView) throws(WireError) {
    isSetUp = try json.optionalBool("isSetUp") ?? true
    version = try json.requiredString("version")
    serverURL = try json.requiredString("serverURL")
    member = try json.optional("member")
    permissions = try json.strings("permissions") ?? []
    containerIDs = try json.strings("containerIDs") ?? []
    testAccounts = try json.strings("testAccounts") ?? []
  }
}
