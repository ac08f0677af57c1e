public import Foundation
import StratusArchive
import StratusWire

extension CKUserIdentity {
  /// The address or the ID by which a user is looked up.
  public final class LookupInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The e-mail address; nil if the user is looked up in another way.
    public let emailAddress: String?
    /// The telephone number; nil if the user is looked up in another way.
    public let phoneNumber: String?
    /// The ID of the user's record; nil if the user is looked up in another way.
    public let userRecordID: CKRecord.ID?

    private init(emailAddress: String?, phoneNumber: String?, userRecordID: CKRecord.ID?) {
      self.emailAddress = emailAddress
      self.phoneNumber = phoneNumber
      self.userRecordID = userRecordID
    }

    /// Makes a lookup by e-mail address.
    public convenience init(emailAddress: String) {
      self.init(emailAddress: emailAddress, phoneNumber: nil, userRecordID: nil)
    }

    /// Makes a lookup by telephone number.
    public convenience init(phoneNumber: String) {
      self.init(emailAddress: nil, phoneNumber: phoneNumber, userRecordID: nil)
    }

    /// Makes a lookup by the ID of the user's record.
    public convenience init(userRecordID: CKRecord.ID) {
      self.init(emailAddress: nil, phoneNumber: nil, userRecordID: userRecordID)
    }

    /// Returns one lookup for each address, in the same order.
    public class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentity.LookupInfo] {
      emails.map { LookupInfo(emailAddress: $0) }
    }

    /// Returns one lookup for each number, in the same order.
    public class func lookupInfos(
      withPhoneNumbers phoneNumbers: [String]
    ) -> [CKUserIdentity.LookupInfo] {
      phoneNumbers.map { LookupInfo(phoneNumber: $0) }
    }

    /// Returns one lookup for each ID, in the same order.
    public class func lookupInfos(
      with recordIDs: [CKRecord.ID]
    ) -> [CKUserIdentity.LookupInfo] {
      recordIDs.map { LookupInfo(userRecordID: $0) }
    }

    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? LookupInfo else { return false }
      return emailAddress == other.emailAddress && phoneNumber == other.phoneNumber
        && userRecordID == other.userRecordID
    }

    public override var hash: Int {
      (emailAddress ?? phoneNumber)?.hashValue ?? userRecordID?.hash ?? 0
    }

    public override var classForKeyedArchiver: AnyClass? {
      ArchiveName.userIdentityLookupInfo.standIn
    }

    public static var supportsSecureCoding: Bool { true }

    /// Reads an archived lookup, from Stratus or from Apple's framework; nil if it has no address,
    /// no telephone number and no ID.
    public init?(coder: NSCoder) {
      emailAddress = coder.string("EmailAddress")
      phoneNumber = coder.string("PhoneNumber")
      userRecordID = coder.object("RecordID", of: CKRecordID.self)
      if emailAddress == nil && phoneNumber == nil && userRecordID == nil { return nil }
    }

    public func encode(with coder: NSCoder) {
      coder.encode(present: emailAddress.map(NSString.init(string:)), forKey: "EmailAddress")
      coder.encode(present: phoneNumber.map(NSString.init(string:)), forKey: "PhoneNumber")
      coder.encode(present: userRecordID, forKey: "RecordID")
    }
  }
}

extension CKUserIdentity.LookupInfo {
  /// Makes a lookup from a response; nil if the response has an empty user name.
  convenience init?(wire: ParticipantLookup, naming: UserNaming) {
    switch wire {
    case .emailAddress(let address): self.init(emailAddress: address)
    case .phoneNumber(let number): self.init(phoneNumber: number)
    case .userRecordName(let name):
      guard let id = naming.shownID(name) else { return nil }
      self.init(userRecordID: id)
    }
  }

  /// The lookup in its wire form; nil for the current user, whose record name is not known here.
  var wire: ParticipantLookup? {
    if let emailAddress { return .emailAddress(emailAddress) }
    if let phoneNumber { return .phoneNumber(phoneNumber) }
    guard let name = userRecordID?.recordName, name != CKCurrentUserDefaultName else { return nil }
    return .userRecordName(name)
  }
}
