public import Foundation
import StratusArchive
import StratusWire

extension CKShare {
  /// The share at a URL, with the current user's role and permission in it.
  ///
  /// ``CKContainer/shareMetadata(for:)`` fetches the metadata of a share, and `accept(_:)` joins
  /// the share.
  public final class Metadata: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The container of the share. Only operations of this container can accept the share.
    public let containerIdentifier: String
    /// The share.
    public let share: CKShare
    /// The ID of the shared record; nil if a whole zone is shared.
    public let hierarchicalRootRecordID: CKRecord.ID?
    /// The shared record; nil if the operation did not request it, or if a whole zone is shared.
    public let rootRecord: CKRecord?
    /// The owner of the share.
    public let ownerIdentity: CKUserIdentity
    /// The current user's role.
    public let participantRole: CKShare.ParticipantRole
    /// Whether the current user has accepted the share.
    public let participantStatus: CKShare.ParticipantAcceptanceStatus
    /// The current user's permission.
    public let participantPermission: CKShare.ParticipantPermission
    /// The text that identifies the share in its URL.
    let shortGUID: String
    /// The secret in the share's URL; nil if the URL has none.
    let secret: String?

    /// The ID of the shared record. Apple has deprecated this property in favour of
    /// ``hierarchicalRootRecordID``.
    ///
    /// Choice: if a whole zone is shared, the value is the ID of the share itself.
    public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }

    /// The current user's role. Apple has deprecated this property in favour of
    /// ``participantRole``.
    public var participantType: CKShare.ParticipantType { participantRole.type }

    /// Makes the metadata from a response.
    ///
    /// - Parameter secret: the secret in the share's URL.
    /// - Throws: `CKError.internalError` if the records do not have the server's format.
    init(
      wire: ResolvedShare, naming: UserNaming, secret: String? = nil
    ) throws(CKError) {
      self.secret = secret
      let share = try RecordFactory.record(wire: wire.share, naming: naming)
      guard let share = share as? CKShare else { throw CKError.badAnswer }
      self.share = share
      containerIdentifier = wire.containerID
      let zoneID = CKRecordZoneID(wire: wire.zoneID, naming: naming)
      hierarchicalRootRecordID = CKReference(wire: wire.rootRecordName, in: zoneID)?.recordID
      rootRecord = try wire.rootRecord.map { (dictionary) throws(CKError) in
        try RecordFactory.record(wire: dictionary, naming: naming)
      }
      ownerIdentity = CKUserIdentity(wire: wire.owner, naming: naming)
      participantRole = ParticipantRole(wire.participantRole)
      participantStatus = ParticipantAcceptanceStatus(merging: wire.participantStatus)
      participantPermission = ParticipantPermission(wire.participantPermission)
      shortGUID = wire.shortGUID.value
    }

    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override var description: String {
      "<CKShareMetadata: containerIdentifier=\(containerIdentifier), share=\(share.recordID), "
        + "participantRole=\(participantRole), participantStatus=\(participantStatus)>"
    }

    public override var classForKeyedArchiver: AnyClass? { ArchiveName.shareMetadata.standIn }

    public static var supportsSecureCoding: Bool { true }

    /// Reads archived metadata, from Stratus or from Apple's framework; nil if the archive has no
    /// share, no container or no owner.
    public init?(coder: NSCoder) {
      guard let share = coder.object(CodingKey.share, of: CKShare.self),
        let container = coder.object(CodingKey.container, of: ArchivedContainerID.self),
        let owner = coder.object(CodingKey.owner, of: CKUserIdentity.self)
      else { return nil }
      self.share = share
      containerIdentifier = container.identifier
      ownerIdentity = owner
      hierarchicalRootRecordID = coder.object(CodingKey.rootID, of: CKRecordID.self)
      rootRecord = coder.object(CodingKey.root, of: CKRecord.self)
      participantRole = coder.integer(CodingKey.role).flatMap(ParticipantRole.init) ?? .unknown
      participantStatus =
        coder.integer(CodingKey.status).flatMap(ParticipantAcceptanceStatus.init) ?? .unknown
      participantPermission =
        coder.integer(CodingKey.permission).flatMap(ParticipantPermission.init) ?? .unknown
      secret = coder.string(CodingKey.secret)
      shortGUID = coder.string(CodingKey.shortGUID) ?? share.url.flatMap(ShareURL.shortGUID) ?? ""
    }

    public func encode(with coder: NSCoder) {
      coder.encode(share, forKey: CodingKey.share)
      coder.encode(ArchivedContainerID(containerIdentifier), forKey: CodingKey.container)
      coder.encode(ownerIdentity, forKey: CodingKey.owner)
      coder.encode(present: hierarchicalRootRecordID, forKey: CodingKey.rootID)
      coder.encode(present: rootRecord, forKey: CodingKey.root)
      coder.encode(participantRole.rawValue, forKey: CodingKey.role)
      coder.encode(participantStatus.rawValue, forKey: CodingKey.status)
      coder.encode(participantPermission.rawValue, forKey: CodingKey.permission)
      coder.encode(shortGUID as NSString, forKey: CodingKey.shortGUID)
      coder.encode(present: secret.map(NSString.init(string:)), forKey: CodingKey.secret)
    }

    /// The keys of Apple's archives.
    private enum CodingKey {
      static let share = "Share"
      static let container = "ContainerID"
      static let owner = "OwnerIdentity"
      static let rootID = "RootRecordID"
      static let root = "RootRecord"
      static let role = "ParticipantType"
      static let status = "ParticipantStatus"
      static let permission = "ParticipantPermission"
      /// NB: Apple's archives do not have these keys.
      static let shortGUID = "StratusShortGUID"
      static let secret = "StratusShareSecret"
    }
  }
}

/// The name of a container in an archive. In Apple's archives, this class is named `CKContainerID`.
final class ArchivedContainerID: NSObject, NSSecureCoding {
  let identifier: String

  init(_ identifier: String) { self.identifier = identifier }

  override var classForKeyedArchiver: AnyClass? { ArchiveName.containerID.standIn }

  static var supportsSecureCoding: Bool { true }

  init?(coder: NSCoder) {
    guard let identifier = coder.string("ContainerIdentifier") else { return nil }
    self.identifier = identifier
  }

  func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString, forKey: "ContainerIdentifier")
  }
}
