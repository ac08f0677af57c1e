/// The first and the last name of a user. The key is `nameComponents`.
public struct PersonName: Sendable, Hashable {
  /// The first name, or nil if it is unknown.
  public var given: String?
  /// The last name, or nil if it is unknown.
  public var family: String?

  /// Returns nil if there is neither a first nor a last name.
  public init?(given: String?, family: String?) {
    self.given = given.flatMap { $0.isEmpty ? nil : $0 }
    self.family = family.flatMap { $0.isEmpty ? nil : $0 }
    if self.given == nil && self.family == nil { return nil }
  }
}

/// The identity of a user within one container.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*, user identity dictionary.
public struct UserIdentity: Sendable, Hashable {
  /// The user's record name: `_` and 32 hex digits. A user has one record name in all environments
  /// and databases of a container, and different record names in different containers.
  public var userRecordName: String
  /// The first and the last name. It is nil if the user has not agreed to be found, or has given no
  /// name.
  public var name: PersonName?
  /// The address, number or record name by which the user was looked up.
  public var lookup: ParticipantLookup?

  public init(
    userRecordName: String, name: PersonName? = nil, lookup: ParticipantLookup? = nil
  ) {
    self.userRecordName = userRecordName
    self.name = name
    self.lookup = lookup
  }
}

extension PersonName: JSONWritable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("givenName", given)
      writer.member("familyName", family)
    }
  }
}

extension UserIdentity: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// Writes the members of the identity into an object that has more members.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("userRecordName", userRecordName)
    writer.member("nameComponents", name)
    writer.member("lookupInfo", lookup)
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("users")
    userRecordName = try json.requiredString("userRecordName")
    name = try json["nameComponents"].flatMap { (name) throws(WireError) in
      PersonName(
        given: try name.optionalString("givenName"), family: try name.optionalString("familyName"))
    }
    lookup = try json["lookupInfo"].flatMap { (info) throws(WireError) in
      try ParticipantLookup(info)
    }
  }
}

/// Whether a user has agreed to be found by other users of an app.
public enum Discoverability: String, Sendable, Hashable, CaseIterable {
  case granted = "GRANTED"
  case denied = "DENIED"
  /// The user has not decided. Other users cannot find the user.
  case undecided = "UNDECIDED"
}

/// `users/caller`: returns the calling user. It replaces `users/current`, which is deprecated.
public enum FetchCaller: Endpoint {
  public static let path = "users/caller"

  public typealias Request = EmptyRequest

  /// The answer contains the identity at the top level, where CloudKit JS reads it, and in `users`,
  /// as documented.
  public struct Response: JSONWritable, JSONReadable {
    public var user: UserIdentity
    /// Whether other users can find the user. Only this server sends the key.
    public var discoverability: Discoverability

    public init(user: UserIdentity, discoverability: Discoverability = .undecided) {
      self.user = user
      self.discoverability = discoverability
    }

    public func write(to writer: inout JSONWriter) {
      var user = user
      user.lookup = .userRecordName(user.userRecordName)
      writer.object { writer in
        user.writeMembers(to: &writer)
        writer.member("discoverability", discoverability.rawValue)
        writer.member("users", array: [user])
      }
    }

    public init(json: JSONView) throws(WireError) {
      user = try UserIdentity(json: json)
      user.lookup = nil
      discoverability =
        try json.optionalString("discoverability").flatMap(Discoverability.init) ?? .undecided
    }
  }
}

/// `users/current`: returns the calling user. Apple deprecates this endpoint in favor of
/// `users/caller`.
public enum FetchCurrentUser: Endpoint {
  public static let path = "users/current"

  public typealias Request = EmptyRequest
  public typealias Response = EarlierUser
}
