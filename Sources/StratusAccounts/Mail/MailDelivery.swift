public import StratusDomain

/// Sends the waiting mails. The server retries a failed mail for about a day.
public struct MailDelivery: Sendable {
  /// The pauses after failed attempts, in seconds. Their sum is about a day.
  static let pauses: [Int64] = [60, 300, 1_800, 7_200, 21_600, 54_000]
  /// The maximum number of mails that one step sends.
  static let stepMax = 10
  /// The duration of the lease of a mail, in milliseconds. If the process ends while it sends a
  /// mail, the mail is sent again after this time. The lease is longer than the sum of a mailer's
  /// time-outs.
  static let leaseMilliseconds: Int64 = 3 * 60_000

  /// The age after which a mail is not sent any more, in milliseconds. It exceeds the sum of
  /// ``pauses``. A registry that was restored from a backup may contain older mails.
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

  /// Tries to send the mails that are due, at most ``stepMax`` of them. If the task is cancelled,
  /// the remaining mails wait for the next step.
  ///
  /// NB: the step takes one mail at a time. If the process ends, the mails that the step has not
  /// taken are still due.
  ///
  /// - Returns: whether there may be more mails.
  public func step() async throws(ServerError) -> Bool {
    for _ in 0..<Self.stepMax where !Task.isCancelled {
      let now = accounts.ambient.now()
      let mails = try await accounts.registry.takeMails(
        dueAt: now, leaseUntil: now + Self.leaseMilliseconds, limit: 1)
      guard let mail = mails.first else { return false }
      if now - mail.createdAt > Self.ageMillisecondsMax {
        report("a mail is not sent, because it is older than two days")
        try await accounts.registry.finish(mailID: mail.id)
      } else if let end = mail.endsAt, now > end {
        report("a mail is not sent, because the code in it has expired")
        try await accounts.registry.finish(mailID: mail.id)
      } else {
        try await send(mail)
      }
    }
    return true
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
      if Task.isCancelled {
        return try await registry.postpone(mailID: id, until: accounts.ambient.now())
      }
      let isLast = error.isPermanent || waiting.attempts > Self.pauses.count
      let sentence = Self.sentence(error, without: waiting.recipient)
      report(
        "attempt \(waiting.attempts) to send a mail failed, "
          + "\(isLast ? "and there is no further attempt" : "and the server tries again later"): "
          + sentence)
      if isLast { return try await registry.finish(mailID: id) }
      let pause = Self.pauses[max(0, waiting.attempts - 1)] * 1_000
      return try await registry.postpone(mailID: id, until: accounts.ambient.now() + pause)
    }
    try await registry.finish(mailID: id)
  }

  /// The maximum number of characters of an error in the log.
  private static let sentenceMax = 300

  /// Returns the description of a failure without the recipient's address. A mail server may repeat
  /// the address in other upper and lower case. The text is shortened after the replacement, so
  /// that no part of the address remains.
  private static func sentence(_ failure: MailFailure, without recipient: String) -> String {
    var text = failure.description.replacing(recipient, with: "the recipient")
    let lowercased = (text: text.lowercased(), recipient: recipient.lowercased())
    if lowercased.text.contains(lowercased.recipient) {
      text = lowercased.text.replacing(lowercased.recipient, with: "the recipient")
    }
    return String(text.prefix(sentenceMax))
  }
}
