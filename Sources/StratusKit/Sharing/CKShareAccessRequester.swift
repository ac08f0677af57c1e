public import Foundation
import StratusArchive

extension CKShare {
  /// A user who has asked for access to a share.
  ///
  /// Choice: the property `contact` of Apple's class is missing, because Linux has no framework for
  /// contacts.
  public final class AccessRequester: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The user's identity. Its ``CKUserIdentity/lookupInfo`` contains the address of the user's
    /// account, and is nil if the account has no address.
    public let userIdentity: CKUserIdentity

    /// The lookup with which the app can fetch a participant for this user.
    ///
    /// Choice: the lookup is by the user's record ID if the ID is known, because an address may
    /// belong to another account later.
    public var participantLookupInfo: CKUserIdentity.LookupInfo {
      if let id = userIdentity.userRecordID { return .init(userRecordID: id) }
      return userIdentity.lookupInfo ?? .init(emailAddress: "")
    }

    init(_ userIdentity: CKUserIdentity) { self.userIdentity = userIdentity }

    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
      (object as? AccessRequester)?.userIdentity == userIdentity
    }

    public override var hash: Int { userIdentity.hash }

    public override var description: String { "<CKShareAccessRequester: \(userIdentity)>" }

    public override var classForKeyedArchiver: AnyClass? {
      ArchiveName.shareAccessRequester.standIn
    }

    public static var supportsSecureCoding: Bool { true }

    /// Reads an archived requester; nil if it has no identity.
    public init?(coder: NSCoder) {
      guard let identity = coder.object("UserIdentity", of: CKUserIdentity.self) else {
        return nil
      }
      userIdentity = identity
    }

    public func encode(with coder: NSCoder) { coder.encode(userIdentity, forKey: "UserIdentity") }
  }

  /// A user whom the owner or an administrator of a share has blocked.
  ///
  /// Choice: the property `contact` of Apple's class is missing, because Linux has no framework for
  /// contacts.
  public final class BlockedIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The user's identity.
    public let userIdentity: CKUserIdentity

    init(_ userIdentity: CKUserIdentity) { self.userIdentity = userIdentity }

    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
      (object as? BlockedIdentity)?.userIdentity == userIdentity
    }

    public override var hash: Int { userIdentity.hash }

    public override var description: String { "<CKShareBlockedIdentity: \(userIdentity)>" }

    public override var classForKeyedArchiver: AnyClass? {
      ArchiveName.shareBlockedIdentity.standIn
    }

    public static var supportsSecureCoding: Bool { true }

    /// Reads an archived identity; nil if the archive has none.
    public init?(coder: NSCoder) {
      guard let identity = coder.object("UserIdentity", of: CKUserIdentity.self) else {
        return nil
      }
      userIdentity = identity
    }

    public func encode(with coder: NSCoder) { coder.encode(userIdentity, forKey: "UserIdentity") }
  }
}

extension CKShare.AccessRequester {
  /// The record name of the user; nil if it is not known.
  var userRecordName: String? { userIdentity.userRecordID?.recordName }
}

extension CKShare.BlockedIdentity {
  /// The record name of the user; nil if it is not known.
  var userRecordName: String? { userIdentity.userRecordID?.recordName }
}
