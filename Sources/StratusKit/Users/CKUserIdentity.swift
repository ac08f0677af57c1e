public import Foundation
import StratusArchive
import StratusWire

/// A user of the container, or a person who is invited to a share and may have no account yet.
public final class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The ID of the user's record; nil if no account is known to have the user's address.
  public let userRecordID: CKRecord.ID?
  /// The address or the ID by which the user was invited or found; nil if there is none, or if the
  /// signed-in user may not see it.
  public let lookupInfo: LookupInfo?
  /// The parts of the user's name.
  ///
  /// A server returns the first and the last name of a user who was found by
  /// ``CKDiscoverUserIdentitiesOperation``. Choice: the name is nil for participants of shares.
  public let nameComponents: PersonNameComponents?
  /// Whether the user is known to have an account.
  ///
  /// Choice: for a participant who was invited by an address, the value is false until the user
  /// has accepted the share. Otherwise, any caller could find out which addresses have accounts.
  public let hasiCloudAccount: Bool
  /// The user's entries in the address book of the device.
  ///
  /// Choice: the list is empty, because Linux has no address book.
  public let contactIdentifiers: [String]

  init(
    userRecordID: CKRecord.ID?, lookupInfo: LookupInfo?,
    nameComponents: PersonNameComponents? = nil, hasiCloudAccount: Bool,
    contactIdentifiers: [String] = []
  ) {
    self.userRecordID = userRecordID
    self.lookupInfo = lookupInfo
    self.nameComponents = nameComponents
    self.hasiCloudAccount = hasiCloudAccount
    self.contactIdentifiers = contactIdentifiers
  }

  /// The signed-in user.
  static let currentUser = CKUserIdentity(
    userRecordID: CKRecordID(recordName: CKCurrentUserDefaultName), lookupInfo: nil,
    hasiCloudAccount: true)

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentity else { return false }
    return userRecordID == other.userRecordID && lookupInfo == other.lookupInfo
      && nameComponents == other.nameComponents && hasiCloudAccount == other.hasiCloudAccount
  }

  public override var hash: Int { userRecordID?.hash ?? lookupInfo?.hash ?? 0 }

  public override var description: String {
    "<CKUserIdentity: userRecordID=\(userRecordID?.recordName ?? "unknown"), "
      + "hasiCloudAccount=\(hasiCloudAccount)>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.userIdentity.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived identity, from Stratus or from Apple's framework.
  public init?(coder: NSCoder) {
    userRecordID = coder.object(CodingKey.userRecordID, of: CKRecordID.self)
    lookupInfo = coder.object(CodingKey.lookupInfo, of: LookupInfo.self)
    nameComponents = coder.personName(CodingKey.nameComponents)
    hasiCloudAccount = coder.flag(CodingKey.hasAccount)
    contactIdentifiers = coder.texts(CodingKey.contacts) ?? []
  }

  public func encode(with coder: NSCoder) {
    coder.encode(present: userRecordID, forKey: CodingKey.userRecordID)
    coder.encode(present: lookupInfo, forKey: CodingKey.lookupInfo)
    coder.encode(
      present: nameComponents.map { $0 as NSPersonNameComponents },
      forKey: CodingKey.nameComponents)
    coder.encode(hasiCloudAccount, forKey: CodingKey.hasAccount)
    coder.encode(texts: contactIdentifiers, forKey: CodingKey.contacts)
  }

  /// The keys of Apple's archives.
  private enum CodingKey {
    static let userRecordID = "UserRecordID"
    static let lookupInfo = "LookupInfo"
    static let nameComponents = "NameComponents"
    static let hasAccount = "HasICloudAccount"
    static let contacts = "ContactIdentifiers"
  }
}

extension CKUserIdentity {
  /// Makes an identity from a response.
  convenience init(wire: ParticipantIdentity, naming: UserNaming) {
    let userRecordID = wire.userRecordName.flatMap(naming.shownID)
    self.init(
      userRecordID: userRecordID,
      lookupInfo: wire.lookup.flatMap { LookupInfo(wire: $0, naming: naming) },
      hasiCloudAccount: userRecordID != nil)
  }

  /// The identity in its wire form, which omits the current user's name.
  var wire: ParticipantIdentity {
    ParticipantIdentity(
      userRecordName: userRecordID.flatMap { id in
        id.recordName == CKCurrentUserDefaultName ? nil : id.recordName
      },
      lookup: lookupInfo?.wire)
  }
}
