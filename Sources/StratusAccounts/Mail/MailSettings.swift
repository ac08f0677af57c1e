import StratusDomain

/// The rule that decides who may create an account.
public enum SignUpPolicy: String, Sendable, CaseIterable {
  /// Each person who can read the mails to an address may create the account of this address.
  case open
  /// Only persons whom the operator invites may create an account.
  case invited
  /// Only the operator and members of the team can create accounts.
  case closed
}

/// The settings for mails to users and for sign-up.
public struct MailSettings: Sendable, Hashable {
  /// The server's URL in links, or nil on a development server. The links of a development server
  /// use the host of the request.
  ///
  /// NB: on any other server, links must not use the host of the request. A caller can send any
  /// host, so the link in another user's mail could lead to the caller's server.
  public var serverURL: String?
  public var policy: SignUpPolicy
  /// Whether the server can send mails. Otherwise there are only printed invitations.
  public var isAvailable: Bool
  /// The maximum number of mails that the server sends in one hour for sign-ups, invitations to the
  /// server, new passwords and further addresses. Invitations to shares are counted separately,
  /// with the same maximum. Notices about changes of an account are not counted.
  public var mailsPerHour: Int

  /// The default of ``mailsPerHour``. Choice: enough for the sign-ups of a large school, but too
  /// few for sending spam.
  public static let mailsPerHour = 300

  public init(
    serverURL: String?, policy: SignUpPolicy, isAvailable: Bool,
    mailsPerHour: Int = Self.mailsPerHour
  ) {
    self.serverURL = serverURL
    self.policy = policy
    self.isAvailable = isAvailable
    self.mailsPerHour = mailsPerHour
  }
}

extension MailSettings {
  private static let hour: Int64 = 3_600_000

  /// The maximum number of mails to one mailbox in an hour, and in a day. Choice: a person who
  /// looks for a mail asks for it again two or three times.
  static let mailboxPerHour = 3
  static let mailboxPerDay = 10

  /// The maximum number of notices to one mailbox in an hour. Further notices are not sent.
  static let noticesPerHour = 10

  /// How long finished mails are kept, in milliseconds. The limits count finished mails, and the
  /// longest period of a limit is a day.
  static let countedMilliseconds: Int64 = 24 * hour

  /// The maximum number of share invitations that one account causes in an hour. Choice: enough for
  /// a group of friends, but too few for sending spam.
  static let invitationsPerSender = 20

  /// The maximum number of mails in an hour by which one account confirms further addresses.
  static let addressesPerSender = 5

  /// The limits on a new mail. They count only mails of the same kind.
  func bounds(of kind: WaitingMail.Kind, now: Int64) -> [MailBound] {
    switch kind {
    case .notice:
      [MailBound(isForMailbox: true, since: now - Self.hour, countMax: Self.noticesPerHour)]
    case .requested, .shareInvitation:
      [
        MailBound(isForMailbox: false, since: now - Self.hour, countMax: mailsPerHour),
        MailBound(isForMailbox: true, since: now - Self.hour, countMax: Self.mailboxPerHour),
        MailBound(
          isForMailbox: true, since: now - Self.countedMilliseconds, countMax: Self.mailboxPerDay),
      ]
    }
  }
}
