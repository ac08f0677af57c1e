/// The names that share records have.
public enum ShareRecord {
  /// The record type of shares.
  public static let recordType = "cloudkit.share"
  /// The record name of the share of a whole zone.
  public static let zoneShareName = "cloudkit.zoneshare"
  /// The field with the title that participants see before they accept. A string.
  public static let titleField = "cloudkit.title"
  /// The field with the app's own type of the shared contents, in reverse-DNS form. A string.
  public static let typeField = "cloudkit.type"
  /// The field with the picture that participants see before they accept. Bytes.
  public static let thumbnailField = "cloudkit.thumbnailImageData"
}

/// The part of a record in an answer that only shares have.
public struct ShareDetails: Sendable, Hashable {
  /// The permission of any user who has the URL. ``SharePermissionName/none``: only invited users
  /// may join.
  public var publicPermission: SharePermissionName
  /// The participants that the reader may see. The owner is one of them.
  public var participants: [ShareParticipant]
  public var owner: ShareParticipant
  /// nil: the reader is no participant.
  public var currentUserParticipant: ShareParticipant?

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
  }

  /// Reads the keys from a record dictionary. nil: the record is not a share.
  init?(record json: JSONView) throws(WireError) {
    guard let owner: ShareParticipant = try json.optional("owner") else { return nil }
    self.init(
      publicPermission: try SharePermissionName(json, "publicPermission") ?? .none,
      participants: try json.array("participants"), owner: owner,
      currentUserParticipant: try json.optional("currentUserParticipant"))
  }

  /// The approximate length of the JSON text, in bytes.
  var expectedByteCount: Int { 1_024 + participants.count * 384 }
}

/// The part of a record in a request that only shares have.
public struct ShareInput: Sendable, Hashable {
  /// The record name of the root, for a new share. The key is `forRecord`. nil: the share exists,
  /// or it shares the whole zone.
  public var rootRecordName: String?
  /// The change tag of the root. A stale one refuses the share. nil: the tag is not compared. It is
  /// not compared either if the same request saves the root.
  public var rootRecordChangeTag: String?
  /// nil: unchanged; ``SharePermissionName/none`` for a new share.
  public var publicPermission: SharePermissionName?
  /// All participants that the share shall have; the others are removed. The owner may be left out.
  /// nil: unchanged.
  public var participants: [ShareParticipant]?

  public init(
    rootRecordName: String? = nil, rootRecordChangeTag: String? = nil,
    publicPermission: SharePermissionName? = nil, participants: [ShareParticipant]? = nil
  ) {
    self.rootRecordName = rootRecordName
    self.rootRecordChangeTag = rootRecordChangeTag
    self.publicPermission = publicPermission
    self.participants = participants
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
  }

  /// Reads the keys from a record dictionary.
  init(record json: JSONView) throws(WireError) {
    self.init(
      rootRecordName: try json["forRecord"]?.requiredString("recordName"),
      rootRecordChangeTag: try json["forRecord"]?.optionalString("recordChangeTag"),
      publicPermission: try SharePermissionName(json, "publicPermission"),
      participants: json["participants"] == nil ? nil : try json.array("participants"))
  }
}
