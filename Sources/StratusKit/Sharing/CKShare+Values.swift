import StratusWire

extension CKShare {
  /// The keys of the fields that CloudKit defines for shares.
  public enum SystemFieldKey {
    /// The title that people see before they accept the share. The value is a string.
    public static let title: CKRecord.FieldKey = ShareRecord.titleField
    /// The picture that people see before they accept the share. The value is data.
    public static let thumbnailImageData: CKRecord.FieldKey = ShareRecord.thumbnailField
    /// The app's own type of the shared contents, in reverse-DNS form. The value is a string.
    public static let shareType: CKRecord.FieldKey = ShareRecord.typeField

    static let all: Set<String> = [title, thumbnailImageData, shareType]
  }

  /// Whether a participant has accepted a share.
  public enum ParticipantAcceptanceStatus: Int, Sendable {
    /// The status is not known.
    case unknown = 0
    /// The participant is invited and has not answered.
    case pending = 1
    /// The participant has accepted.
    case accepted = 2
    /// The participant has left, or was removed.
    case removed = 3
  }

  /// The actions that a share permits to a participant, or to all users with the share's URL.
  public enum ParticipantPermission: Int, Sendable {
    /// The permission is not known.
    case unknown = 0
    /// No access.
    case none = 1
    /// The participant may read the records.
    case readOnly = 2
    /// The participant may read, create, change and delete records, but may not delete the root.
    case readWrite = 3
  }

  /// The role of a participant.
  public enum ParticipantRole: Int, Sendable {
    /// The role is not known.
    case unknown = 0
    /// The user who created the share.
    case owner = 1
    /// A user whom the owner allows to invite and remove other participants.
    case administrator = 2
    /// A user whom the owner or an administrator has invited.
    case privateUser = 3
    /// A user who has joined by the share's URL.
    case publicUser = 4
  }

  /// The older enum for roles. Apple has deprecated it in favour of ``ParticipantRole``.
  public enum ParticipantType: Int, Sendable {
    /// The role is not known.
    case unknown = 0
    /// The user who created the share.
    case owner = 1
    /// A user who was invited.
    case privateUser = 3
    /// A user who has joined by the share's URL.
    case publicUser = 4
  }
}

/// Apple's older name of `CKShare.ParticipantAcceptanceStatus`.
public typealias CKShare_Participant_AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
/// Apple's older name of `CKShare.ParticipantPermission`.
public typealias CKShare_Participant_Permission = CKShare.ParticipantPermission
/// Apple's older name of `CKShare.ParticipantRole`.
public typealias CKShare_Participant_Role = CKShare.ParticipantRole
/// Apple's older name of `CKShare.ParticipantType`.
public typealias CKShare_Participant_ParticipantType = CKShare.ParticipantType

/// The record name of the share of a whole zone.
public let CKRecordNameZoneWideShare: String = ShareRecord.zoneShareName
/// The record type of shares. Apple's older name for `CKRecord.SystemType.share`.
public let CKRecordTypeShare: String = CKRecord.SystemType.share
/// The key of a share's title. Apple's older name for `CKShare.SystemFieldKey.title`.
public let CKShareTitleKey: String = CKShare.SystemFieldKey.title
/// The key of a share's picture. Apple's older name for
/// `CKShare.SystemFieldKey.thumbnailImageData`.
public let CKShareThumbnailImageDataKey: String = CKShare.SystemFieldKey.thumbnailImageData
/// The key of a share's type. Apple's older name for `CKShare.SystemFieldKey.shareType`.
public let CKShareTypeKey: String = CKShare.SystemFieldKey.shareType

/// An enum of shares whose cases have counterparts in requests and responses.
protocol ShareValue: RawRepresentable<Int> {
  associatedtype Wire: Equatable
  static var unknown: Self { get }
  /// The counterpart. Different values have different counterparts.
  var wire: Wire { get }
}

extension ShareValue {
  /// Returns the value that has this counterpart, or `unknown` if there is none. NB: the raw values
  /// must begin at 0 and have no gaps.
  init(_ wire: Wire) {
    let values = sequence(first: 0) { $0 + 1 }.lazy.map(Self.init(rawValue:))
    self = values.prefix { $0 != nil }.compactMap { $0 }.first { $0.wire == wire } ?? .unknown
  }
}

extension CKShare.ParticipantAcceptanceStatus: ShareValue {
  var wire: ShareParticipant.Status {
    switch self {
    case .unknown: .unknown
    case .pending: .invited
    case .accepted: .accepted
    case .removed: .removed
    }
  }

  /// Choice: a participant who has left has the status `removed`, as if the owner had removed that
  /// participant.
  init(merging wire: ShareParticipant.Status) {
    self.init(wire == .unsubscribed ? .removed : wire)
  }
}

extension CKShare.ParticipantPermission: ShareValue {
  var wire: SharePermissionName {
    switch self {
    case .unknown: .unknown
    case .none: .none
    case .readOnly: .readOnly
    case .readWrite: .readWrite
    }
  }
}

extension CKShare.ParticipantRole: ShareValue {
  var wire: ShareParticipant.Role {
    switch self {
    case .unknown: .unknown
    case .owner: .owner
    case .administrator: .administrator
    case .privateUser: .user
    case .publicUser: .publicUser
    }
  }

  init(_ type: CKShare.ParticipantType) { self = Self(rawValue: type.rawValue) ?? .unknown }

  /// Choice: an administrator has the type `privateUser`, because the deprecated type has no case
  /// for administrators.
  var type: CKShare.ParticipantType {
    CKShare.ParticipantType(rawValue: rawValue) ?? .privateUser
  }
}
