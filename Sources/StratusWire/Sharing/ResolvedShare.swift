/// A share that the caller may see, with the caller's role and permission.
public struct ResolvedShare: Sendable {
  /// The ID of the share, as in the request.
  public var shortGUID: ShortGUID
  public var containerID: String
  /// `development` or `production`. Clients do not distinguish upper and lower case.
  public var environment: String
  /// ``DatabaseScope/private`` if the caller owns the share, otherwise ``DatabaseScope/shared``.
  public var scope: DatabaseScope
  /// The zone of the share, including its owner.
  public var zoneID: ZoneID
  public var share: RecordDictionary
  /// The record name of the root. nil means that a whole zone is shared.
  public var rootRecordName: String?
  /// The root record. It is nil if the caller did not request it, or if the share has no root.
  public var rootRecord: RecordDictionary?
  public var owner: ParticipantIdentity
  /// The caller's role. It is ``ShareParticipant/Role/publicUser`` if the caller is not a
  /// participant yet, but may join by the URL.
  public var participantRole: ShareParticipant.Role
  public var participantStatus: ShareParticipant.Status
  public var participantPermission: SharePermissionName

  public init(
    shortGUID: ShortGUID, containerID: String, environment: String, scope: DatabaseScope,
    zoneID: ZoneID, share: RecordDictionary, rootRecordName: String?, rootRecord: RecordDictionary?,
    owner: ParticipantIdentity, participantRole: ShareParticipant.Role,
    participantStatus: ShareParticipant.Status, participantPermission: SharePermissionName
  ) {
    self.shortGUID = shortGUID
    self.containerID = containerID
    self.environment = environment
    self.scope = scope
    self.zoneID = zoneID
    self.share = share
    self.rootRecordName = rootRecordName
    self.rootRecord = rootRecord
    self.owner = owner
    self.participantRole = participantRole
    self.participantStatus = participantStatus
    self.participantPermission = participantPermission
  }
}

/// The result for one share of a request.
public enum ShareResult: Sendable {
  case share(ResolvedShare)
  case failure(ShortGUID, ErrorDictionary)
}

extension ResolvedShare: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("shortGUID", shortGUID)
      writer.member("containerIdentifier", containerID)
      writer.member("environment", environment)
      writer.member("databaseScope", scope.rawValue.uppercased())
      writer.member("zoneID", zoneID)
      writer.member("share", share)
      writer.member("rootRecordName", rootRecordName)
      writer.member("rootRecord", rootRecord)
      writer.member("ownerIdentity", owner)
      writer.member("participantType", participantRole.rawValue)
      writer.member("participantStatus", participantStatus.rawValue)
      writer.member("participantPermission", participantPermission.rawValue)
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard let shortGUID: ShortGUID = try json.optional("shortGUID") else {
      throw .missing("shortGUID")
    }
    guard let zoneID: ZoneID = try json.optional("zoneID") else { throw .missing("zoneID") }
    guard let share: RecordDictionary = try json.optional("share") else { throw .missing("share") }
    let scope = try json.requiredString("databaseScope")
    guard let scope = DatabaseScope(rawValue: scope.lowercased()) else {
      throw WireError("Unknown databaseScope '\(scope)'")
    }
    self.init(
      shortGUID: shortGUID, containerID: try json.requiredString("containerIdentifier"),
      environment: try json.requiredString("environment").lowercased(), scope: scope,
      zoneID: zoneID, share: share, rootRecordName: try json.optionalString("rootRecordName"),
      rootRecord: try json.optional("rootRecord"),
      owner: try json.optional("ownerIdentity") ?? ParticipantIdentity(),
      participantRole: ShareParticipant.Role(text: try json.requiredString("participantType")),
      participantStatus: ShareParticipant.Status(
        text: try json.requiredString("participantStatus")),
      participantPermission: try SharePermissionName(json, "participantPermission") ?? .unknown)
  }
}

extension ShareResult: JSONWritable, JSONReadable {
  /// The approximate length of the JSON text, in bytes.
  public var expectedByteCount: Int {
    switch self {
    case .share(let share):
      1_024 + (share.share.sharing?.expectedByteCount ?? 0) + share.share.fields.text.count
        + (share.rootRecord?.fields.text.count ?? 0)
    case .failure: 512
    }
  }

  public func write(to writer: inout JSONWriter) {
    switch self {
    case .share(let share): share.write(to: &writer)
    case .failure(let shortGUID, let error):
      writer.object { writer in
        writer.member("shortGUID", shortGUID)
        error.writeMembers(to: &writer)
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard json["serverErrorCode"] != nil else {
      self = .share(try ResolvedShare(json: json))
      return
    }
    self = .failure(
      try json.optional("shortGUID") ?? ShortGUID(value: ""), try ErrorDictionary(json: json))
  }
}
