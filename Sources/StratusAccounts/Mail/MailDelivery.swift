public import StratusDomain

/// Sends the waiting mails. The server tries again to send a mail for about a day.
public struct MailDelivery: Sendable {
  /// The pauses after failed attempts, in seconds: about a day together.
  static let pauses: [Int64] = [60, 300, 1_800, 7_200, 21_600, 54_000]
  /// The maximum number of mails that one step sends.
  static let stepMax = 10
  /// The duration of a lease, in milliseconds. If the process ends while it sends a mail, the mail
  /// is sent again after this time. It is longer than the time-outs of a step together.
  static let leaseMilliseconds: Int64 = 30 * 60_000

  /// The age after which a mail is not sent any more, in milliseconds. It is longer than the pauses
  /// together. A registry that was restored from a backup may contain older mails.
  static let ageMillisecondsMax: Int64 = 2 * 86_400_000

  private let accounts: Accounts
  private let mailer: any Mailer
  private let report: @Sendable (String) -> Void

  /// - Parameter report: receives a sentence about each failure, without the recipient's address.
  public init(
    accounts: Accounts, mailer: any Mailer, report: @escaping @Sendable (String) -> Void
  ) {
    self.accounts = accounts
    self.mailer = mailer
    self.report = report
  }

  /// Tries to send the mails that are due. If the task is cancelled, the other mails wait for the
  /// next step.
  ///
  /// - Returns: whether there may be more mails.
  public func step() async throws(ServerError) -> Bool {
    let now = accounts.ambient.now()
    let mails = try await accounts.registry.takeMails(
      dueAt: now, leaseUntil: now + Self.leaseMilliseconds, limit: Self.stepMax)
    for mail in mails {
      if Task.isCancelled {
        try await accounts.registry.postpone(mailID: mail.id, until: now)
      } else if now - mail.createdAt > Self.ageMillisecondsMax {
        report("a mail is not sent, because it is older than two days")
        try await accounts.registry.finish(mailID: mail.id)
      } else {
        try await send(mail)
      }
    }
    return mails.count == Self.stepMax
  }

  private func send(_ waiting: WaitingMail) async throws(ServerError) {
    let (id, registry) = (waiting.id, accounts.registry)
    guard
      let bytes = accounts.secretSeal.open(
        waiting.sealedText, at: Accounts.place(ofMail: id)),
      let text = String(validating: bytes, as: UTF8.self)
    else {
      report("a mail is not sent, because its text was sealed with a key that is missing")
      return try await registry.finish(mailID: id)
    }
    do throws(MailFailure) {
      try await mailer.send(
        Mail(id: id, recipient: waiting.recipient, subject: waiting.subject, text: text))
    } catch {
      let isLast = error.isPermanent || waiting.attempts > Self.pauses.count
      let sentence = error.description.replacing(waiting.recipient, with: "the recipient")
      report(
        "attempt \(waiting.attempts) to send a mail failed, "
          + "\(isLast ? "and there is no further attempt" : "and it is repeated later"): "
          + sentence)
      if isLast { return try await registry.finish(mailID: id) }
      let pause = Self.pauses[max(0, waiting.attempts - 1)] * 1_000
      return try await registry.postpone(mailID: id, until: accounts.ambient.now() + pause)
    }
    try await registry.finish(mailID: id)
  }
}
