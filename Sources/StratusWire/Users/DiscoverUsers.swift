/// `users/discover`: finds users who have agreed to be found. Users who are not found are left out
/// of the answer.
///
/// Source: CloudKit Web Services Reference, *Discovering User Identities*.
public enum DiscoverUsers: Endpoint {
  public static let path = "users/discover"

  public struct Request: JSONWritable, JSONReadable {
    /// The addresses, numbers and record names to look up. nil asks for all users among the
    /// caller's contacts. The server knows no contacts, so the answer is then empty.
    public var lookups: [ParticipantLookup]?

    public init(lookups: [ParticipantLookup]?) { self.lookups = lookups }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in if let lookups { writer.member("lookupInfos", array: lookups) } }
    }

    public init(json: JSONView) throws(WireError) {
      guard json["lookupInfos"] != nil else { return }
      lookups = try json.array("lookupInfos", of: SentLookup.self).map(\.lookup)
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var users: [UserIdentity]

    public init(users: [UserIdentity]) { self.users = users }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("users", array: users) }
    }

    public init(json: JSONView) throws(WireError) { users = try json.requiredArray("users") }
  }

  /// A lookup that must have an address, a number or a name.
  private struct SentLookup: JSONReadable {
    let lookup: ParticipantLookup

    init(json: JSONView) throws(WireError) {
      guard let lookup = try ParticipantLookup(json) else { throw .missing("lookupInfos") }
      self.lookup = lookup
    }
  }
}

/// The user dictionary of CloudKit's first version (CloudKit Web Services Reference, *Types and
/// Dictionaries*, user dictionary).
public struct EarlierUser: JSONWritable, JSONReadable, Hashable {
  public var userRecordName: String
  public var name: PersonName?
  /// The address by which the user was looked up.
  public var emailAddress: String?

  public init(userRecordName: String, name: PersonName? = nil, emailAddress: String? = nil) {
    self.userRecordName = userRecordName
    self.name = name
    self.emailAddress = emailAddress
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("userRecordName", userRecordName)
      writer.member("firstName", name?.given)
      writer.member("lastName", name?.family)
      writer.member("emailAddress", emailAddress)
    }
  }

  public init(json: JSONView) throws(WireError) {
    userRecordName = try json.requiredString("userRecordName")
    name = PersonName(
      given: try json.optionalString("firstName"), family: try json.optionalString("lastName"))
    emailAddress = try json.optionalString("emailAddress")
  }
}

/// The request and the answer of `users/lookup/email` and `users/lookup/id`.
public enum LookupUsers {
  /// A request names users by address, or by record name.
  public struct Request: JSONWritable, JSONReadable {
    public var users: [ParticipantLookup]

    public init(users: [ParticipantLookup]) { self.users = users }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("users", array: users) }
    }

    public init(json: JSONView) throws(WireError) {
      users = try json.requiredArray("users", of: Item.self).map(\.lookup)
    }
  }

  private struct Item: JSONReadable {
    let lookup: ParticipantLookup

    init(json: JSONView) throws(WireError) {
      guard let lookup = try ParticipantLookup(json) else { throw .missing("users") }
      self.lookup = lookup
    }
  }

  /// The result for one user.
  public enum Result: JSONWritable, JSONReadable {
    case user(EarlierUser)
    /// The user was not found, or has not agreed to be found.
    case failure(ParticipantLookup, ErrorDictionary)

    public func write(to writer: inout JSONWriter) {
      switch self {
      case .user(let user): user.write(to: &writer)
      case .failure(let lookup, let error):
        writer.object { writer in
          switch lookup {
          case .emailAddress(let address): writer.member("emailAddress", address)
          case .phoneNumber(let number): writer.member("phoneNumber", number)
          case .userRecordName(let name): writer.member("userRecordName", name)
          }
          error.writeMembers(to: &writer)
        }
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard json["serverErrorCode"] != nil else {
        self = .user(try EarlierUser(json: json))
        return
      }
      guard let lookup = try ParticipantLookup(json) else { throw .missing("users") }
      self = .failure(lookup, try ErrorDictionary(json: json))
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var users: [Result]

    public init(users: [Result]) { self.users = users }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("users", array: users) }
    }

    public init(json: JSONView) throws(WireError) { users = try json.requiredArray("users") }
  }
}

/// `users/lookup/email`: finds users by e-mail address. Apple deprecates this endpoint in favor of
/// `users/discover`.
public enum LookupUsersByEmail: Endpoint {
  public static let path = "users/lookup/email"

  public typealias Request = LookupUsers.Request
  public typealias Response = LookupUsers.Response
}

/// `users/lookup/id`: finds users by record name. Apple deprecates this endpoint in favor of
/// `users/discover`.
public enum LookupUsersByName: Endpoint {
  public static let path = "users/lookup/id"

  public typealias Request = LookupUsers.Request
  public typealias Response = LookupUsers.Response
}

/// `users/lookup/contacts`: finds the users among the caller's contacts. The server knows no
/// contacts, so the answer is empty. Apple deprecates this endpoint.
public enum LookupContacts: Endpoint {
  public static let path = "users/lookup/contacts"

  public typealias Request = EmptyRequest
  public typealias Response = LookupUsers.Response
}
