public import Foundation
import StratusArchive
import StratusWire
import Synchronization

extension CKShare {
  /// A participant of a share, or a user who is invited to it.
  ///
  /// A change of ``role`` or ``permission`` takes effect when the share is saved.
  ///
  /// Choice: two participants are equal if all their values are equal.
  public final class Participant: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Identifies a participant in a share.
    public typealias ID = String
    /// Apple's older name of `CKShare.ParticipantAcceptanceStatus`.
    public typealias AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
    /// Apple's older name of `CKShare.ParticipantPermission`.
    public typealias Permission = CKShare.ParticipantPermission
    /// Apple's older name of `CKShare.ParticipantRole`.
    public typealias Role = CKShare.ParticipantRole
    /// Apple's older name of `CKShare.ParticipantType`.
    public typealias ParticipantType = CKShare.ParticipantType

    struct Values: Equatable {
      var participantID: String
      /// Whether the server has assigned the ID.
      var isKnown = false
      var identity: CKUserIdentity
      var role = ParticipantRole.privateUser
      var permission = ParticipantPermission.readOnly
      var status = ParticipantAcceptanceStatus.pending
      /// Whether the participant is invited by a one-time URL.
      var isOneTime = false
      /// The ID in the one-time URL; nil if there is no such URL, or if the user may not see it.
      var oneTimeShortGUID: String?
      var isApprovedRequester = false
      var addedAt: Date?
    }

    private let lock: Mutex<Values>

    init(_ values: Values) {
      lock = Mutex(values)
      super.init()
    }

    /// Makes a participant who is not in a share yet.
    package convenience init(inviting lookupInfo: CKUserIdentity.LookupInfo) {
      self.init(
        Values(
          participantID: Live.newID(),
          identity: CKUserIdentity(
            userRecordID: lookupInfo.userRecordID, lookupInfo: lookupInfo,
            hasiCloudAccount: lookupInfo.userRecordID != nil)))
    }

    /// Makes a participant without an identity. After the share is saved,
    /// ``CKShare/oneTimeURL(for:)`` returns a URL for this participant. The first user who accepts
    /// the share with that URL becomes the participant.
    public class func oneTimeURLParticipant() -> CKShare.Participant {
      var values = Values(
        participantID: Live.newID(),
        identity: CKUserIdentity(userRecordID: nil, lookupInfo: nil, hasiCloudAccount: false))
      values.isOneTime = true
      return Participant(values)
    }

    /// Reads or changes the values under a lock.
    func withValues<Result>(_ body: (inout Values) -> Result) -> Result {
      lock.withLock { body(&$0) }
    }

    var values: Values { withValues { $0 } }

    /// The user's identity.
    public var userIdentity: CKUserIdentity { withValues { $0.identity } }

    /// The role; ``ParticipantRole/privateUser`` by default.
    public var role: CKShare.ParticipantRole {
      get { withValues { $0.role } }
      set { withValues { $0.role = newValue } }
    }

    /// Reads and sets ``role``. Apple has deprecated this property in favour of ``role``.
    public var type: CKShare.ParticipantType {
      get { role.type }
      set { role = ParticipantRole(newValue) }
    }

    /// Whether the participant has accepted the share.
    public var acceptanceStatus: CKShare.ParticipantAcceptanceStatus { withValues { $0.status } }

    /// The participant's permission; ``ParticipantPermission/readOnly`` by default.
    public var permission: CKShare.ParticipantPermission {
      get { withValues { $0.permission } }
      set { withValues { $0.permission = newValue } }
    }

    /// Identifies the participant in the share.
    ///
    /// Choice: the server assigns the ID when the share is saved. Before that, the ID is
    /// provisional.
    public var participantID: CKShare.Participant.ID { withValues { $0.participantID } }

    /// Whether the owner or an administrator added the participant after the user had asked for
    /// access. The server sets this property.
    public var isApprovedRequester: Bool { withValues { $0.isApprovedRequester } }

    /// The time at which the participant was added to the share; nil if the share was not saved
    /// after that.
    public var dateAddedToShare: Date? { withValues { $0.addedAt } }

    /// Returns an independent participant with the same values.
    public func copy(with zone: NSZone? = nil) -> Any { Participant(values) }

    public override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? Participant else { return false }
      // NB: all values are compared, because the archiver writes equal objects only once.
      return self === other || values == other.values
    }

    /// NB: the hash value is the same for all participants, because their values can change.
    public override var hash: Int { 0 }

    public override var description: String {
      let values = values
      return "<CKShareParticipant: role=\(values.role), permission=\(values.permission), "
        + "acceptanceStatus=\(values.status), userIdentity=\(values.identity)>"
    }

    public override var classForKeyedArchiver: AnyClass? { ArchiveName.shareParticipant.standIn }

    public static var supportsSecureCoding: Bool { true }

    /// Reads an archived participant, from Stratus or from Apple's framework; nil if it has no
    /// identity.
    public init?(coder: NSCoder) {
      guard let identity = coder.object(CodingKey.identity, of: CKUserIdentity.self) else {
        return nil
      }
      var values = Values(
        participantID: coder.string(CodingKey.participantID) ?? Live.newID(), identity: identity)
      // NB: in Apple's archives, only new participants have this key, and its value is true.
      values.isKnown = !coder.flag(CodingKey.isNew)
      values.role = coder.integer(CodingKey.role).flatMap(ParticipantRole.init) ?? .unknown
      values.permission =
        coder.integer(CodingKey.permission).flatMap(ParticipantPermission.init) ?? .unknown
      values.status =
        coder.integer(CodingKey.status).flatMap(ParticipantAcceptanceStatus.init) ?? .unknown
      values.isOneTime = coder.flag(CodingKey.isOneTime)
      values.oneTimeShortGUID = coder.string(CodingKey.oneTimeShortGUID)
      values.isApprovedRequester = coder.flag(CodingKey.isApprovedRequester)
      values.addedAt = coder.date(CodingKey.addedAt)
      lock = Mutex(values)
      super.init()
    }

    public func encode(with coder: NSCoder) {
      let values = values
      coder.encode(values.identity, forKey: CodingKey.identity)
      coder.encode(values.participantID as NSString, forKey: CodingKey.participantID)
      coder.encode(!values.isKnown, forKey: CodingKey.isNew)
      coder.encode(values.role.rawValue, forKey: CodingKey.role)
      coder.encode(values.permission.rawValue, forKey: CodingKey.permission)
      coder.encode(values.status.rawValue, forKey: CodingKey.status)
      if values.isOneTime { coder.encode(true, forKey: CodingKey.isOneTime) }
      coder.encode(
        present: values.oneTimeShortGUID.map(NSString.init(string:)),
        forKey: CodingKey.oneTimeShortGUID)
      if values.isApprovedRequester { coder.encode(true, forKey: CodingKey.isApprovedRequester) }
      coder.encode(present: values.addedAt.map { $0 as NSDate }, forKey: CodingKey.addedAt)
    }

    /// The keys of Apple's archives.
    private enum CodingKey {
      static let identity = "UserIdentity"
      static let participantID = "ParticipantID"
      static let isNew = "CreatedInProcess"
      static let role = "Type"
      static let permission = "Permission"
      static let status = "AcceptanceStatus"
      /// NB: the keys of these values in Apple's archives are not known.
      static let isOneTime = "StratusIsOneTime"
      static let oneTimeShortGUID = "StratusOneTimeShortGUID"
      static let isApprovedRequester = "StratusIsApprovedRequester"
      static let addedAt = "StratusDateAdded"
    }
  }
}

extension CKShare.Participant.Values {
  init(wire: ShareParticipant, naming: UserNaming) {
    participantID = wire.participantID ?? Live.newID()
    isKnown = wire.participantID != nil
    identity = CKUserIdentity(wire: wire.identity, naming: naming)
    role = CKShare.ParticipantRole(wire.role)
    permission = CKShare.ParticipantPermission(wire.permission)
    status = CKShare.ParticipantAcceptanceStatus(merging: wire.status)
    isOneTime = wire.isOneTime
    oneTimeShortGUID = wire.oneTimeShortGUID
    isApprovedRequester = wire.isApprovedRequester
    addedAt = wire.addedAt.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
  }

  /// The participant in the form that a request sends. The server assigns the ID of a new
  /// participant.
  var wire: ShareParticipant {
    var wire = ShareParticipant(
      participantID: isKnown ? participantID : nil, identity: identity.wire, role: role.wire,
      status: status.wire, permission: permission.wire)
    // NB: this property is sent only for a new participant. The server already has it for all
    // others.
    wire.isOneTime = isOneTime && !isKnown
    return wire
  }

  /// Whether both participants are the same person, by their IDs, user records or addresses.
  func isSame(as other: Self) -> Bool {
    if participantID.isIdentical(to: other.participantID) { return true }
    if isKnown && other.isKnown { return false }
    if let own = identity.userRecordID, let others = other.identity.userRecordID {
      return own == others
    }
    guard let own = identity.lookupInfo, let others = other.identity.lookupInfo else {
      return false
    }
    if let address = own.emailAddress, let otherAddress = others.emailAddress {
      return address.lowercased() == otherAddress.lowercased()
    }
    return own == others
  }
}
