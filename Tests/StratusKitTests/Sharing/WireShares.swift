import StratusWire

@testable import StratusKit

/// Shares in the form in which a server sends them. The current user is `FakeServer.userName`.
enum WireShares {
  static let shortGUID = "0NEa3AEPXwK71VM4gHFnvh2kw"
  static let naming = UserNaming(currentUserRecordName: FakeServer.userName)

  /// The participant entry of the owner.
  static func owner(_ userName: String = FakeServer.userName) -> ShareParticipant {
    ShareParticipant(
      participantID: "p-owner", identity: ParticipantIdentity(userRecordName: userName),
      role: .owner, status: .accepted, permission: .readWrite)
  }

  /// The participant entry of a user who was invited by email address.
  static func guest(
    _ id: String, _ email: String, userName: String? = nil,
    status: ShareParticipant.Status = .invited, permission: SharePermissionName = .readOnly
  ) -> ShareParticipant {
    ShareParticipant(
      participantID: id,
      identity: ParticipantIdentity(userRecordName: userName, lookup: .emailAddress(email)),
      status: status, permission: permission)
  }

  /// A share record. The current user owns the share unless `owner` is another user.
  static func dictionary(
    _ name: String = "Share-1", tag: String = "s1", fields: FieldsJSON = .empty,
    publicPermission: SharePermissionName = .none, guests: [ShareParticipant] = [],
    owner: ShareParticipant = owner(), me: ShareParticipant? = nil
  ) -> RecordDictionary {
    var record = stored(name, type: "cloudkit.share", tag: tag, fields: fields)
    record.zoneID.ownerRecordName = owner.identity.userRecordName
    record.shortGUID = shortGUID
    record.displayedHostname = "cloud.example.org"
    record.sharing = ShareDetails(
      publicPermission: publicPermission, participants: [owner] + guests, owner: owner,
      currentUserParticipant: me ?? owner)
    return record
  }

  static func share(_ wire: RecordDictionary = dictionary()) throws -> CKShare {
    let record = try RecordFactory.record(wire: wire, naming: naming)
    guard let share = record as? CKShare else { throw CKError.badAnswer }
    return share
  }

  /// A share of another user, as `records/resolve` and `records/accept` return it.
  static func resolved(
    _ shortGUID: ShortGUID, status: ShareParticipant.Status = .invited,
    container: String = "iCloud.org.example.App", root: RecordDictionary? = nil,
    isZoneWide: Bool = false
  ) -> ResolvedShare {
    let me = guest(
      "p-me", "me@example.org", userName: FakeServer.userName, status: status,
      permission: .readWrite)
    let owner = owner("_owner")
    return ResolvedShare(
      shortGUID: shortGUID, containerID: container, environment: "development", scope: .shared,
      zoneID: ZoneID(zoneName: "Z", ownerRecordName: "_owner"),
      share: dictionary(
        isZoneWide ? "cloudkit.zoneshare" : "Share-1", guests: [me], owner: owner, me: me),
      rootRecordName: isZoneWide ? nil : "root", rootRecord: root, owner: owner.identity,
      participantRole: .user, participantStatus: status, participantPermission: .readWrite)
  }
}

extension RecordOperation {
  /// The JSON text of the operation that the client sends.
  var json: String { String(decoding: jsonBytes, as: UTF8.self) }
}
