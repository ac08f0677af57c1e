import StratusDomain
import StratusWire

extension Accounts {
  /// The lifetime of a code that a browser has requested (OWASP ASVS 6.5.5).
  static let codeMilliseconds: Int64 = 10 * 60_000
  /// The lifetime of an invitation.
  static let invitationMilliseconds: Int64 = 7 * 86_400_000
  private static let codeCount = 20

  /// A new code: its text for a link, and its row for the registry.
  struct FreshCode: Sendable {
    /// The code as 40 hex digits.
    let text: String
    let stored: MailCode
  }

  /// Creates a code for an address.
  ///
  /// - Parameters:
  ///   - cookie: the form cookie of the browser that requests the code, or nil if the code is valid
  ///     in every browser.
  ///   - account: the account to which the code adds the address, or nil for other purposes.
  func makeCode(
    _ purpose: MailCode.Purpose, for email: String, cookie: String?, account: Account? = nil
  ) -> FreshCode {
    let text = randomness(Self.codeCount).hex
    let life = purpose == .invitation ? Self.invitationMilliseconds : Self.codeMilliseconds
    return FreshCode(
      text: text,
      stored: MailCode(
        hash: Digest.sha256(Array(text.utf8)), purpose: purpose, email: email,
        browser: cookie.map { Digest.sha256(Array($0.utf8)) }, accountID: account?.id,
        endsAt: ambient.now() + life))
  }

  /// Returns the stored code of a text, if the code is valid now and in this browser.
  func code(_ text: String, cookie: String) async throws(ServerError) -> MailCode? {
    guard text.utf8.count == 2 * Self.codeCount,
      let code = try await registry.mailCode(hash: Digest.sha256(Array(text.utf8))),
      ambient.now() <= code.endsAt
    else { return nil }
    if let browser = code.browser, browser != Digest.sha256(Array(cookie.utf8)) { return nil }
    return code
  }

  /// Queues a mail.
  ///
  /// - Parameters:
  ///   - code: the code in the text, or nil if the text contains none.
  ///   - kind: the reason for the mail. Each kind has limits of its own.
  /// - Returns: nil if the mail is queued; otherwise the limit that the mail would exceed. In that
  ///   case nothing is stored.
  func post(
    _ text: MailContent, to email: String, code: MailCode? = nil,
    kind: WaitingMail.Kind = .requested
  ) async throws(ServerError) -> MailBound? {
    guard let mail else { throw .fault("a mail is sent by a server without mail") }
    let now = ambient.now()
    let id = randomness(16).hex
    let waiting = WaitingMail(
      id: id, recipient: email, subject: text.subject,
      sealedText: try secretSeal.seal(
        Array(text.lines.utf8), at: Self.place(ofMail: id),
        nonce: randomness(SecretSeal.nonceCount)),
      createdAt: now, nextAt: now, kind: kind, endsAt: code?.endsAt)
    return try await registry.create(waiting, with: code, within: mail.bounds(of: kind, now: now))
  }

  /// Sends a notice about a change of an account, if the server sends mails. The change itself has
  /// happened already, so a failure is only logged.
  func notify(_ account: Account, _ text: MailContent) async {
    guard mail?.isAvailable == true, MailAddress.isValid(account.email) else { return }
    do throws(ServerError) {
      let exceeded = try await post(text, to: account.email, kind: .notice)
      if exceeded != nil {
        audit.note("a notice to the account '\(account.email)' is not sent: too many notices")
      }
    } catch {
      audit.note("a notice to the account '\(account.email)' is lost: \(error.reason)")
    }
  }

  /// The name of the server in notices.
  var serverName: String { mail?.serverURL ?? "this server" }

  static func place(ofMail id: String) -> String { "mail \(id)" }

  /// Removes mails that are too old to count towards a limit, and codes that have expired.
  func forgetOldMails() async throws(ServerError) {
    let now = ambient.now()
    try await registry.deleteMails(
      createdBefore: now - MailSettings.countedMilliseconds, codesEndedBefore: now)
  }
}
