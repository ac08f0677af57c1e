/// Management: makes an account.
public enum CreateAccount: Endpoint {
  public static let path = "accounts/create"

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

/// Management: shuts an account out; what it owns stays.
public enum DisableAccount: Endpoint {
  public static let path = "accounts/disable"

  public typealias Request = CreateAccount.Request
  public typealias Response = EmptyRequest
}

/// Management: lets an account in again.
public enum EnableAccount: Endpoint {
  public static let path = "accounts/enable"

  public typealias Request = CreateAccount.Request
  public typealias Response = EmptyRequest
}

/// Management: every account, in order of e-mail.
public enum ListAccounts: Endpoint {
  public static let path = "accounts/list"

  public typealias Request = EmptyRequest

  /// One account.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    public var email: String
    public var isDisabled: Bool

    public init(email: String, isDisabled: Bool) {
      self.email = email
      self.isDisabled = isDisabled
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("disabled", isDisabled)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      isDisabled = json["disabled"]?.bool ?? false
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
