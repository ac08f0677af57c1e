/// Management: creates an account.
public enum CreateAccount: Endpoint {
  public static let path = "accounts/create"

  public struct Request: JSONWritable, JSONReadable {
    public var email: String
    /// The password. nil means that the account has no password, so that its user cannot sign in
    /// with one.
    public var password: String?
    /// Whether the account exists only for tests. Members of the team may act in its name.
    public var isTest: Bool

    public init(email: String, password: String? = nil, isTest: Bool = false) {
      self.email = email
      self.password = password
      self.isTest = isTest
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("password", password)
        if isTest { writer.member("isTest", true) }
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      password = try json.optionalString("password")
      isTest = try json.optionalBool("isTest") ?? false
    }
  }

  public typealias Response = EmptyRequest
}

/// Management: changes an account. A new password ends the account's sessions on the server's own
/// pages. If the account had a password before, its app sessions also end. The request can also
/// remove the second factor of an account whose user has lost it, and set the user's name and
/// whether other users can find the user.
public enum ConfigureAccount: Endpoint {
  public static let path = "accounts/configure"

  public struct Request: JSONWritable, JSONReadable {
    public var email: String
    /// The new password, or nil to keep the present one.
    public var password: String?
    /// Whether the account's second factor and its recovery codes are removed.
    public var removesSecondFactor: Bool
    /// The new first name, or nil to keep the present one. An empty text removes it.
    public var givenName: String?
    /// The new last name, or nil to keep the present one. An empty text removes it.
    public var familyName: String?
    /// Whether other users can find the user, or nil to keep the present decision.
    public var isDiscoverable: Bool?

    public init(
      email: String, password: String? = nil, removesSecondFactor: Bool = false,
      givenName: String? = nil, familyName: String? = nil, isDiscoverable: Bool? = nil
    ) {
      self.email = email
      self.password = password
      self.removesSecondFactor = removesSecondFactor
      self.givenName = givenName
      self.familyName = familyName
      self.isDiscoverable = isDiscoverable
    }

    /// Whether the request changes the user's profile.
    public var changesProfile: Bool {
      givenName != nil || familyName != nil || isDiscoverable != nil
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("password", password)
        writer.member("removesSecondFactor", removesSecondFactor)
        writer.member("givenName", givenName)
        writer.member("familyName", familyName)
        writer.member("isDiscoverable", isDiscoverable)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      password = try json.optionalString("password")
      removesSecondFactor = try json.optionalBool("removesSecondFactor") ?? false
      givenName = try json.optionalString("givenName")
      familyName = try json.optionalString("familyName")
      isDiscoverable = try json.optionalBool("isDiscoverable")
    }
  }

  public typealias Response = EmptyRequest
}

/// Management: invites a person to create an account for an address.
public enum InviteAccount: Endpoint {
  public static let path = "accounts/invite"

  public struct Request: JSONWritable, JSONReadable {
    public var email: String
    /// Whether the server mails the invitation. Otherwise the answer contains its link.
    public var isMailed: Bool

    public init(email: String, isMailed: Bool) {
      self.email = email
      self.isMailed = isMailed
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("mailed", isMailed)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      isMailed = try json.optionalBool("mailed") ?? true
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The link of the invitation, or nil if the server mails it.
    public var url: String?

    public init(url: String?) { self.url = url }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("url", url) }
    }

    public init(json: JSONView) throws(WireError) { url = try json.optionalString("url") }
  }
}

/// Management: disables an account, and keeps its data.
public enum DisableAccount: Endpoint {
  public static let path = "accounts/disable"

  public typealias Request = CreateAccount.Request
  public typealias Response = EmptyRequest
}

/// Management: enables a disabled account again.
public enum EnableAccount: Endpoint {
  public static let path = "accounts/enable"

  public typealias Request = CreateAccount.Request
  public typealias Response = EmptyRequest
}

/// Management: restricts an account. Its data is kept, and requests of apps for the data are
/// refused. On the account page, the user can still download the data and delete the account.
public enum RestrictAccount: Endpoint {
  public static let path = "accounts/restrict"

  public typealias Request = CreateAccount.Request
  public typealias Response = EmptyRequest
}

/// Management: ends the restriction of an account.
public enum UnrestrictAccount: Endpoint {
  public static let path = "accounts/unrestrict"

  public typealias Request = CreateAccount.Request
  public typealias Response = EmptyRequest
}

/// Management: lists every account, in the order of the e-mail addresses.
public enum ListAccounts: Endpoint {
  public static let path = "accounts/list"

  public typealias Request = EmptyRequest

  /// One account.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    public var email: String
    public var isDisabled: Bool
    /// Whether the account is restricted: its data is stored, but apps get no access to it. On the
    /// account page, the user can still download the data and delete the account.
    public var isRestricted: Bool
    /// Whether the account exists only for tests.
    public var isTest: Bool

    public init(
      email: String, isDisabled: Bool, isRestricted: Bool = false, isTest: Bool = false
    ) {
      self.email = email
      self.isDisabled = isDisabled
      self.isRestricted = isRestricted
      self.isTest = isTest
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("disabled", isDisabled)
        writer.member("restricted", isRestricted)
        if isTest { writer.member("isTest", true) }
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      isDisabled = json["disabled"]?.bool ?? false
      isRestricted = json["restricted"]?.bool ?? false
      isTest = json["isTest"]?.bool ?? false
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var accounts: [Item]

    public init(accounts: [Item]) { self.accounts = accounts }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("accounts", array: accounts) }
    }

    public init(json: JSONView) throws(WireError) {
      accounts = try json.requiredArray("accounts")
    }
  }
}
