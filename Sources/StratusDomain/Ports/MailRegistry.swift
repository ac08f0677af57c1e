/// A mail that waits to be sent.
public struct WaitingMail: Sendable, Hashable {
  /// The reason for a mail. A limit on one kind counts only mails of this kind. Invitations and
  /// notices therefore never prevent a mail that a person waits for.
  public enum Kind: Int64, Sendable, CaseIterable {
    /// The recipient or the operator has asked for the mail, for example for a new password.
    case requested = 0
    /// A notice about a change that the account's user or the operator has made.
    case notice = 1
    /// An invitation to a share. Another user has caused it.
    case shareInvitation = 2
  }

  public var id: String
  /// The address of the recipient.
  public var recipient: String
  public var subject: String
  /// The text of the mail. It is sealed, because it may contain a code.
  public var sealedText: [UInt8]
  /// The time of creation. All times of a mail are in milliseconds since 1970 UTC.
  public var createdAt: Int64
  /// The time of the next attempt to send the mail.
  public var nextAt: Int64
  /// The number of attempts so far.
  public var attempts: Int
  public var kind: Kind
  /// The time when the code in the mail expires. The mail is not sent after this time. nil means
  /// that the mail contains no code.
  public var endsAt: Int64?

  public init(
    id: String, recipient: String, subject: String, sealedText: [UInt8], createdAt: Int64,
    nextAt: Int64, attempts: Int = 0, kind: Kind = .requested, endsAt: Int64? = nil
  ) {
    self.kind = kind
    self.endsAt = endsAt
    self.id = id
    self.recipient = recipient
    self.subject = subject
    self.sealedText = sealedText
    self.createdAt = createdAt
    self.nextAt = nextAt
    self.attempts = attempts
  }
}

/// A limit on the number of mails that were created since a time. It counts only mails of the same
/// kind as the new mail.
public struct MailBound: Sendable, Hashable {
  /// Whether the limit counts only the mails to the mailbox of the recipient. Otherwise it counts
  /// all mails.
  public var isForMailbox: Bool
  /// The start of the period, in milliseconds since 1970 UTC.
  public var since: Int64
  /// The maximum number of mails in the period, including the new mail.
  public var countMax: Int

  public init(isForMailbox: Bool, since: Int64, countMax: Int) {
    self.isForMailbox = isForMailbox
    self.since = since
    self.countMax = countMax
  }
}

/// A code that was mailed to an address. A person who has the code can read mails to this address.
public struct MailCode: Sendable, Hashable {
  /// The action that a code permits.
  public enum Purpose: String, Sendable, CaseIterable {
    /// To create an account with the address.
    case signUp = "sign-up"
    /// To create an account with the address, because the operator has invited the person.
    case invitation
    /// To give the account with this address a new password.
    case reset
    /// To add the address to an account that exists.
    case address
  }

  /// SHA-256 of the code. The code itself is not stored.
  public var hash: [UInt8]
  public var purpose: Purpose
  /// The address in lower case.
  public var email: String
  /// SHA-256 of the form cookie of the browser that requested the code, or nil if the code is valid
  /// in every browser.
  public var browser: [UInt8]?
  /// The ID of the account to which the code adds its address. nil for the other purposes.
  public var accountID: String?
  /// The time when the code expires, in milliseconds since 1970 UTC.
  public var endsAt: Int64

  public init(
    hash: [UInt8], purpose: Purpose, email: String, browser: [UInt8]?, accountID: String? = nil,
    endsAt: Int64
  ) {
    self.accountID = accountID
    self.hash = hash
    self.purpose = purpose
    self.email = email
    self.browser = browser
    self.endsAt = endsAt
  }
}

/// Stores mails until they are sent, and the codes in mails.
public protocol MailRegistry: Sendable {
  /// Stores a mail and the code in it, in one transaction. Earlier codes with the same address,
  /// purpose and browser become invalid. Codes of other browsers stay valid, so that another person
  /// cannot make a user's code invalid.
  ///
  /// - Parameters:
  ///   - code: the code in the mail, or nil if the mail contains no code.
  ///   - bounds: the limits that the mail must respect.
  /// - Returns: the first limit that the mail would exceed. In that case nothing is stored. nil
  ///   means that the mail is stored.
  func create(
    _ mail: WaitingMail, with code: MailCode?, within bounds: [MailBound]
  ) async throws(ServerError) -> MailBound?

  /// Stores a code that is not in a mail. Earlier codes with the same address, purpose and browser
  /// become invalid.
  func create(_ code: MailCode) async throws(ServerError)

  /// Takes the mails whose next attempt is due. Mails that a person waits for come first, then
  /// notices, then invitations. Mails of one kind come in the order of ``WaitingMail/nextAt``. No
  /// other process gets the same mails before the end of the lease.
  ///
  /// - Parameter end: the time when the lease ends.
  /// - Returns: the mails with the number of their attempts, including the new one.
  func takeMails(
    dueAt time: Int64, leaseUntil end: Int64, limit: Int
  ) async throws(ServerError) -> [WaitingMail]

  /// Sets the time of the next attempt after a failed attempt.
  func postpone(mailID: String, until time: Int64) async throws(ServerError)

  /// Removes the text of a mail that was sent, or that will not be sent. The row of the mail stays,
  /// because limits count it.
  func finish(mailID: String) async throws(ServerError)

  /// Removes finished mails that were created before a time, and codes that expired before another
  /// time.
  func deleteMails(createdBefore time: Int64, codesEndedBefore end: Int64)
    async throws(ServerError)

  func mailCode(hash: [UInt8]) async throws(ServerError) -> MailCode?

  /// Uses a code: sets the password of the account with the code's address, and removes all codes
  /// that were mailed to this address. If there is no such account, it is created if the code
  /// permits it. All changes happen in one transaction.
  ///
  /// The browser sessions of the account end. If the account had a password, its app sessions end,
  /// too.
  ///
  /// - Parameters:
  ///   - newID: the ID of the account if it is created.
  ///   - passwordHash: the hash of the new password.
  ///   - time: the time of the change, in milliseconds since 1970 UTC.
  /// - Returns: the account. nil means that nothing has changed, because the code is unknown, has
  ///   expired or confirms a further address, or the account is missing or disabled. A code that
  ///   permits the creation of an account is also refused if the account has a password.
  func redeem(
    codeHash: [UInt8], newID: String, passwordHash: String, at time: Int64
  ) async throws(ServerError) -> Account?
}
