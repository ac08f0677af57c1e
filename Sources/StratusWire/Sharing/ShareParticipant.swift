/// A participant of a share.
///
/// Source: CloudKit Web Services Reference, *Participant Dictionary*; CloudKitTool JS.
public struct ShareParticipant: Sendable, Hashable {
  /// The participant's role in the share. The key is `type`.
  public enum Role: String, Sendable, CaseIterable, OpenWord {
    case owner = "OWNER"
    case administrator = "ADMINISTRATOR"
    /// A user whom the owner or an administrator invited.
    case user = "USER"
    /// A user who joined by the share's URL.
    case publicUser = "PUBLIC_USER"
    case unknown = "UNKNOWN"

    static var wordsOfCloudKitJS: [String: Role] { ["PRIVATE_USER": .user] }
  }

  /// The state of the participant's invitation.
  public enum Status: String, Sendable, CaseIterable, OpenWord {
    case invited = "INVITED"
    case accepted = "ACCEPTED"
    /// The owner or an administrator removed the participant, or the participant declined.
    case removed = "REMOVED"
    /// The participant has left the share.
    case unsubscribed = "UNSUBSCRIBED"
    case unknown = "UNKNOWN"

    static var wordsOfCloudKitJS: [String: Status] { ["PENDING": .invited] }
  }

  /// The ID of the participant in the share. In a request, nil means that the participant is new,
  /// or is found by the identity.
  public var participantID: String?
  public var identity: ParticipantIdentity
  public var role: Role
  public var status: Status
  public var permission: SharePermissionName
  /// Whether the owner or an administrator added the participant after a request for access. Only
  /// the server sets it.
  public var isApprovedRequester = false
  /// When the participant was added, in milliseconds since 1970 UTC. Only the server sets it.
  public var addedAt: Int64?
  /// In a request: whether a new participant without an identity gets a one-time URL. In the store,
  /// and in an answer to the owner or an administrator: whether the participant was invited by a
  /// one-time URL. In other answers it is false. The key is `isOneTimeURLParticipant`.
  public var isOneTime = false
  /// The ID in the participant's one-time URL. Only the owner and administrators see it.
  public var oneTimeShortGUID: String?

  public init(
    participantID: String? = nil, identity: ParticipantIdentity, role: Role = .user,
    status: Status = .invited, permission: SharePermissionName = .readOnly,
    addedAt: Int64? = nil
  ) {
    self.participantID = participantID
    self.identity = identity
    self.role = role
    self.status = status
    self.permission = permission
    self.addedAt = addedAt
  }
}

/// The actions that a share allows one participant, or any user who has its URL.
public enum SharePermissionName: String, Sendable, CaseIterable, OpenWord {
  case none = "NONE"
  case readOnly = "READ_ONLY"
  case readWrite = "READ_WRITE"
  case unknown = "UNKNOWN"
}

/// The identity of a participant, which is a user identity dictionary.
public struct ParticipantIdentity: Sendable, Hashable {
  /// The name of the user. In an answer, nil means that no account has accepted the invitation yet.
  public var userRecordName: String?
  /// The address or record name by which the participant was invited. nil means that the caller may
  /// not see it.
  public var lookup: ParticipantLookup?

  public init(userRecordName: String? = nil, lookup: ParticipantLookup? = nil) {
    self.userRecordName = userRecordName
    self.lookup = lookup
  }
}

/// The address, number or record name by which a user is looked up. The key is `lookupInfo`.
public enum ParticipantLookup: Sendable, Hashable {
  case emailAddress(String)
  case phoneNumber(String)
  case userRecordName(String)
}

extension ShareParticipant: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("participantId", participantID)
      writer.member("userIdentity", identity)
      writer.member("type", role.rawValue)
      writer.member("acceptanceStatus", status.rawValue)
      writer.member("permission", permission.rawValue)
      if isApprovedRequester { writer.member("isApprovedRequester", true) }
      writer.member("dateAddedToShare", addedAt)
      if isOneTime { writer.member("isOneTimeURLParticipant", true) }
      writer.member("oneTimeShortGUID", oneTimeShortGUID)
    }
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("participants")
    self.init(
      participantID: try json.optionalString("participantId"),
      identity: try json.optional("userIdentity") ?? ParticipantIdentity(),
      role: try Role(json, "type") ?? .user,
      status: try Status(json, "acceptanceStatus") ?? .invited,
      permission: try SharePermissionName(json, "permission") ?? .readOnly,
      addedAt: json["dateAddedToShare"]?.int64)
    isApprovedRequester = try json.optionalBool("isApprovedRequester") ?? false
    isOneTime = try json.optionalBool("isOneTimeURLParticipant") ?? false
    oneTimeShortGUID = try json.optionalString("oneTimeShortGUID")
  }
}

/// A word in the data of a share. Later versions of the protocol may have more words.
protocol OpenWord: RawRepresentable<String> {
  /// The value for a word that this version does not know.
  static var unknown: Self { get }
  /// The words of CloudKit JS that differ from those of the web service.
  static var wordsOfCloudKitJS: [String: Self] { get }
}

extension OpenWord {
  static var wordsOfCloudKitJS: [String: Self] { [:] }

  init(text: String) {
    self = Self.wordsOfCloudKitJS[text] ?? Self(rawValue: text) ?? .unknown
  }

  /// Reads a word. Returns nil if the key is missing.
  init?(_ json: JSONView, _ key: StaticString) throws(WireError) {
    guard let text = try json.optionalString(key) else { return nil }
    self.init(text: text)
  }
}

extension ParticipantIdentity: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("userRecordName", userRecordName)
      writer.member("lookupInfo", lookup)
    }
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("userIdentity")
    userRecordName = try json.optionalString("userRecordName")
    lookup = try json["lookupInfo"].flatMap { (info) throws(WireError) in
      try ParticipantLookup(info)
    }
  }
}

extension ParticipantLookup: JSONWritable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .emailAddress(let address): writer.member("emailAddress", address)
      case .phoneNumber(let number): writer.member("phoneNumber", number)
      case .userRecordName(let name): writer.member("userRecordName", name)
      }
    }
  }

  /// Reads an address, a number or a record name. Returns nil if the dictionary has none of the
  /// keys.
  init?(_ json: JSONView) throws(WireError) {
    try json.requireObject("lookupInfo")
    if let address = try json.optionalString("emailAddress") {
      self = .emailAddress(address)
    } else if let number = try json.optionalString("phoneNumber") {
      self = .phoneNumber(number)
    } else if let name = try json.optionalString("userRecordName") {
      self = .userRecordName(name)
    } else {
      return nil
    }
  }
}
