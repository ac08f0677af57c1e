/// The names of share records and of their fields.
public enum ShareRecord {
  /// The record type of shares.
  public static let recordType = "cloudkit.share"
  /// The record name of the share of a whole zone.
  public static let zoneShareName = "cloudkit.zoneshare"
  /// The string field with the title that users see before they accept.
  public static let titleField = "cloudkit.title"
  /// The string field with the app's own type of the shared contents, in reverse-DNS form.
  public static let typeField = "cloudkit.type"
  /// The bytes field with the picture that users see before they accept.
  public static let thumbnailField = "cloudkit.thumbnailImageData"
}

/// The members that only share records have in an answer.
public struct ShareDetails: Sendable, Hashable {
  /// The permission of any user who has the URL. ``SharePermissionName/none`` means that only
  /// invited users may join.
  public var publicPermission: SharePermissionName
  /// The participants that the caller may see. The owner is one of them.
  public var participants: [ShareParticipant]
  public var owner: ShareParticipant
  /// The caller as a participant. nil means that the caller is not a participant.
  public var currentUserParticipant: ShareParticipant?
  /// Whether users who are not invited may ask for access. The key is `denyAccessRequests`, which
  /// has the opposite value.
  public var allowsAccessRequests = false
  /// The users who have asked for access. Only the owner and administrators see them.
  public var requesters: [ShareRequester] = []
  /// The blocked users. Only the owner and administrators see them.
  public var blocked: [BlockedIdentity] = []

  public init(
    publicPermission: SharePermissionName, participants: [ShareParticipant],
    owner: ShareParticipant, currentUserParticipant: ShareParticipant?
  ) {
    self.publicPermission = publicPermission
    self.participants = participants
    self.owner = owner
    self.currentUserParticipant = currentUserParticipant
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("publicPermission", publicPermission.rawValue)
    writer.member("participants", array: participants)
    writer.member("owner", owner)
    writer.member("currentUserParticipant", currentUserParticipant)
    writer.member("denyAccessRequests", !allowsAccessRequests)
    if !requesters.isEmpty { writer.member("requesters", array: requesters) }
    if !blocked.isEmpty { writer.member("blockedIdentities", array: blocked) }
  }

  /// Reads the members from a record dictionary. Returns nil if the record is not a share.
  init?(record json: JSONView) throws(WireError) {
    guard let owner: ShareParticipant = try json.optional("owner") else { return nil }
    self.init(
      publicPermission: try SharePermissionName(json, "publicPermission") ?? .none,
      participants: try json.array("participants"), owner: owner,
      currentUserParticipant: try json.optional("currentUserParticipant"))
    allowsAccessRequests = !(try json.optionalBool("denyAccessRequests") ?? true)
    requesters = try json.array("requesters")
    blocked = try json.array("blockedIdentities")
  }

  /// The approximate length of the JSON text, in bytes.
  var expectedByteCount: Int {
    1_024 + participants.count * 384 + (requesters.count + blocked.count) * 192
  }
}

/// The members that only share records have in a request.
public struct ShareInput: Sendable, Hashable {
  /// The record name of the root of a new share. The key is `forRecord`. It is nil if the share
  /// exists already, or if it shares the whole zone.
  public var rootRecordName: String?
  /// The change tag of the root. The server refuses the share if the tag is not the current one.
  /// The tag is not compared if it is nil, or if the same request saves the root.
  public var rootRecordChangeTag: String?
  /// The permission of any user who has the URL. nil leaves the permission of a share unchanged. In
  /// a new share, nil means ``SharePermissionName/none``.
  public var publicPermission: SharePermissionName?
  /// The complete list of participants. Participants that are not in the list are removed, but the
  /// owner may be left out. nil means unchanged. If ``publicPermission`` changes from or to
  /// ``SharePermissionName/none``, the server also removes participants by itself.
  public var participants: [ShareParticipant]?
  /// Whether users who are not invited may ask for access. nil means unchanged, and false for a new
  /// share. The key is `denyAccessRequests`, which has the opposite value.
  public var allowsAccessRequests: Bool?
  /// The user record names of requesters whose requests are denied. They are removed from the list
  /// of requesters and may ask again.
  public var deniedRequesters: [String]
  /// The user record names of requesters and participants who are removed and blocked.
  public var blockedRequesters: [String]
  /// The user record names of blocked users who are blocked no longer.
  public var unblockedIdentities: [String]

  public init(
    rootRecordName: String? = nil, rootRecordChangeTag: String? = nil,
    publicPermission: SharePermissionName? = nil, participants: [ShareParticipant]? = nil,
    allowsAccessRequests: Bool? = nil, deniedRequesters: [String] = [],
    blockedRequesters: [String] = [], unblockedIdentities: [String] = []
  ) {
    self.rootRecordName = rootRecordName
    self.rootRecordChangeTag = rootRecordChangeTag
    self.publicPermission = publicPermission
    self.participants = participants
    self.allowsAccessRequests = allowsAccessRequests
    self.deniedRequesters = deniedRequesters
    self.blockedRequesters = blockedRequesters
    self.unblockedIdentities = unblockedIdentities
  }

  var isEmpty: Bool { self == ShareInput() }

  func writeMembers(to writer: inout JSONWriter) {
    if let rootRecordName {
      writer.key("forRecord")
      writer.object { writer in
        writer.member("recordName", rootRecordName)
        writer.member("recordChangeTag", rootRecordChangeTag)
      }
    }
    writer.member("publicPermission", publicPermission?.rawValue)
    if let participants { writer.member("participants", array: participants) }
    writer.member("denyAccessRequests", allowsAccessRequests.map { !$0 })
    for (key, names) in changes where !names.isEmpty { writer.member(key, strings: names) }
  }

  /// The lists of users to deny, block and unblock, with their keys.
  private var changes: [(key: StaticString, names: [String])] {
    [
      ("denyRequesters", deniedRequesters), ("blockRequesters", blockedRequesters),
      ("unblockIdentities", unblockedIdentities),
    ]
  }

  /// Reads the members from a record dictionary.
  init(record json: JSONView) throws(WireError) {
    self.init(
      rootRecordName: try json["forRecord"]?.requiredString("recordName"),
      rootRecordChangeTag: try json["forRecord"]?.optionalString("recordChangeTag"),
      publicPermission: try SharePermissionName(json, "publicPermission"),
      participants: json["participants"] == nil ? nil : try json.array("participants"),
      allowsAccessRequests: try json.optionalBool("denyAccessRequests").map { !$0 },
      deniedRequesters: try json.strings("denyRequesters") ?? [],
      blockedRequesters: try json.strings("blockRequesters") ?? [],
      unblockedIdentities: try json.strings("unblockIdentities") ?? [])
  }
}
