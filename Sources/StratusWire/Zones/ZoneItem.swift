/// A zone in an answer.
public struct ZoneDictionary: Sendable {
  public var zoneID: ZoneID
  /// The newest change token of the zone. It is nil if the zone has no history, for a deleted zone,
  /// and in the answers of `changes/database` and `zones/changes`.
  public var syncToken: String?
  /// A text that distinguishes the zone from earlier and later zones with the same name. For a
  /// participant, the text also changes if the participant leaves and joins again. It is present
  /// only if the request has `incarnations`.
  ///
  /// Stratus adds this key. Apple's service has no such key.
  public var incarnation: String?
  /// Whether the zone supports atomic batches. It is nil for a deleted zone, and in the answers of
  /// `zones/list`, `changes/database` and `zones/changes`.
  public var isAtomic: Bool?
  /// The flags that say whether and how the zone can be shared. A flag is nil if the server omits
  /// it. Stratus servers omit all of them.
  public var sharing = Sharing()
  /// The record name of the share of the whole zone. nil means that there is none. Only the answers
  /// of `zones/list` and `zones/lookup` contain the name.
  ///
  /// Stratus adds this key. Its value has the same format as the key `share` of a record. Apple's
  /// public pages show no such key.
  public var shareRecordName: String?
  public var isDeleted: Bool
  /// The reason of the deletion. It is written only if it is not ``ZoneDeletionReason/deleted``.
  public var deletionReason: ZoneDeletionReason
  /// Whether single records with encrypted values can be shared, or only the zone as a whole. The
  /// key is written only if the scope is not the default. The answers of `changes/database` and
  /// `zones/changes` never contain it, so the value is then the default.
  public var encryptionScope: EncryptionScope

  /// The flags that say whether and how a zone can be shared.
  ///
  /// Source: the zone object of CloudKitTool JS. CloudKit Web Services does not document the keys.
  public struct Sharing: Sendable, Equatable {
    /// Whether any part of the zone can be shared.
    public var isSharable: Bool?
    /// Whether the zone as a whole can be shared now.
    public var isEligibleForZoneShare: Bool?
    /// Whether a record of the zone can be shared now together with its descendants.
    public var isEligibleForHierarchicalShare: Bool?

    public init(
      isSharable: Bool? = nil, isEligibleForZoneShare: Bool? = nil,
      isEligibleForHierarchicalShare: Bool? = nil
    ) {
      self.isSharable = isSharable
      self.isEligibleForZoneShare = isEligibleForZoneShare
      self.isEligibleForHierarchicalShare = isEligibleForHierarchicalShare
    }
  }

  public init(
    zoneID: ZoneID, syncToken: String? = nil, incarnation: String? = nil,
    isAtomic: Bool? = nil, sharing: Sharing = Sharing(), shareRecordName: String? = nil,
    isDeleted: Bool = false, deletionReason: ZoneDeletionReason = .deleted,
    encryptionScope: EncryptionScope = .perRecord
  ) {
    self.zoneID = zoneID
    self.syncToken = syncToken
    self.incarnation = incarnation
    self.isAtomic = isAtomic
    self.sharing = sharing
    self.shareRecordName = shareRecordName
    self.isDeleted = isDeleted
    self.deletionReason = deletionReason
    self.encryptionScope = encryptionScope
  }
}

/// The result for one zone of a request.
public enum ZoneItem: Sendable {
  case zone(ZoneDictionary)
  case failure(ZoneID, ErrorDictionary)
}

extension ZoneDictionary: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("zoneID", zoneID)
      writer.member("syncToken", syncToken)
      writer.member("incarnation", incarnation)
      writer.member("atomic", isAtomic)
      writer.member("isSharable", sharing.isSharable)
      writer.member("isEligibleForZoneShare", sharing.isEligibleForZoneShare)
      writer.member(
        "isEligibleForHierarchicalShare", sharing.isEligibleForHierarchicalShare)
      writer.member("share", reference: shareRecordName)
      writer.member("deleted", isDeleted)
      if deletionReason != .deleted {
        writer.member("deletionReason", deletionReason.rawValue)
      }
      if encryptionScope != .perRecord {
        writer.member("encryptionScope", encryptionScope.rawValue)
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
    self.zoneID = try ZoneID(json: zoneID)
    syncToken = try json.optionalString("syncToken")
    incarnation = try json.optionalString("incarnation")
    isAtomic = json["atomic"]?.bool
    sharing = Sharing(
      isSharable: json["isSharable"]?.bool,
      isEligibleForZoneShare: json["isEligibleForZoneShare"]?.bool,
      isEligibleForHierarchicalShare: json["isEligibleForHierarchicalShare"]?.bool)
    shareRecordName = try json["share"]?.requiredString("recordName")
    isDeleted = json["deleted"]?.bool ?? false
    let reason = try json.optionalString("deletionReason")
    deletionReason = reason.flatMap(ZoneDeletionReason.init) ?? .deleted
    encryptionScope = try EncryptionScope(zone: json) ?? .perRecord
  }
}

extension ZoneItem: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .zone(let zone): zone.write(to: &writer)
    case .failure(let zoneID, let error):
      writer.object { writer in
        writer.member("zoneID", zoneID)
        error.writeMembers(to: &writer)
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard json["serverErrorCode"] != nil else {
      self = .zone(try ZoneDictionary(json: json))
      return
    }
    guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
    self = .failure(try ZoneID(json: zoneID), try ErrorDictionary(json: json))
  }
}
