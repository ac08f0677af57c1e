import Foundation
import StratusDomain
import StratusWire

/// The pages on which a visitor asks for a mail: to create an account, or to set a new password.
extension AccountPages {
  /// A page that sends a mail with a code.
  enum MailPage: Sendable {
    case signUp
    case reset

    var path: String {
      switch self {
      case .signUp: "/auth/sign-up"
      case .reset: "/auth/reset"
      }
    }

    var title: String {
      switch self {
      case .signUp: "Create an account"
      case .reset: "Set a new password"
      }
    }
  }

  /// Returns the mail settings, or nil if the server does not have this page.
  private func settings(of page: MailPage) -> MailSettings? {
    guard let mail = accounts.mail, mail.isAvailable else { return nil }
    switch page {
    case .signUp: return mail.policy == .open ? mail : nil
    case .reset: return mail
    }
  }

  /// Returns the links below the sign-in form.
  ///
  /// - Parameter request: the text of the app's sign-in request, which the links contain.
  func mailLinks(request: String?) -> HTML {
    let query = request.map { "?request=" + $0 } ?? ""
    let links = [MailPage.signUp, .reset].filter { settings(of: $0) != nil }.map { page -> HTML in
      "<p class=\"small\"><a href=\"\(page.path + query)\">\(page.title)</a></p>"
    }
    return HTML(links)
  }

  func showMailPage(
    _ visit: Visit, _ page: MailPage, email: String = "", alarm: String? = nil, status: Int = 200
  ) -> PageAnswer {
    guard settings(of: page) != nil else { return Self.noPage }
    let request = Self.request(of: visit)
    let content: HTML = """
      <h1>\(page.title)</h1>\(Self.warning(alarm))
      <form method="post" action="\(page.path)">\(visit.hidden(seal, request: request))
      <label for="email">E-mail address</label>
      <input id="email" name="email" type="email" autocomplete="username" required \
      maxlength="320" value="\(email)" aria-describedby="rule">
      <p id="rule" class="small">You get a mail with a link. The link works for ten minutes, and \
      only in this browser.</p>
      <button>Send the mail</button></form>
      \(Self.signInLink(request))
      """
    return PageLayout.answer(page.title, content, status: status, hasOpener: true)
  }

  /// Sends a mail to the typed address. The answer and the amount of work do not depend on whether
  /// the address has an account. Only the mail says whether it has one.
  func sendMail(_ visit: Visit, _ page: MailPage) async throws(ServerError) -> PageAnswer {
    guard let mail = settings(of: page) else { return Self.noPage }
    let email = (visit.request.form["email"] ?? "").trimmingCharacters(in: .whitespaces)
      .lowercased()
    guard MailAddress.isValid(email) else {
      return showMailPage(
        visit, page, email: String(email.prefix(320)), alarm: "This is not an e-mail address.",
        status: 422)
    }
    guard mailPace.admit(visit.request.subscriber, now: accounts.ambient.now()) else {
      accounts.audit.noteRefusal(
        "a mail was refused after too many requests from \(visit.subscriber)",
        at: accounts.ambient.now())
      return tooManyMails(visit, page, email)
    }
    let account = try await accounts.registry.account(email: email)
    let (content, code) = answer(page, email, account, visit, mail)
    let exceeded = try await accounts.post(
      content, to: email, code: code?.stored)
    // NB: if the limit of the mailbox is exceeded, the page is the same as usual. A person who
    // enters the addresses of other people must not learn which of them already got mails.
    if let exceeded, !exceeded.isForMailbox {
      accounts.audit.noteRefusal(
        "a mail was refused because of --mails-per-hour", at: accounts.ambient.now())
      return tooManyMails(visit, page, email)
    }
    return PageLayout.answer(
      "Look into your mailbox",
      """
      <h1>Look into your mailbox</h1>
      <p>The server sends a mail to <strong>\(email)</strong>. Open the link in the mail within \
      ten minutes, in this browser.</p>
      <p class="small">If no mail arrives, look into the folder for unwanted mail. One address \
      gets at most three mails in an hour.</p>
      \(Self.signInLink(Self.request(of: visit)))
      """, hasOpener: true)
  }

  private func tooManyMails(_ visit: Visit, _ page: MailPage, _ email: String) -> PageAnswer {
    var answer = showMailPage(
      visit, page, email: email, alarm: "There were too many requests. Try again in an hour.",
      status: 429)
    answer.fields.append(("Retry-After", "3600"))
    return answer
  }

  /// Returns the contents of the mail, and the code in them. The code is nil if the contents have
  /// none.
  private func answer(
    _ page: MailPage, _ email: String, _ account: Account?, _ visit: Visit, _ mail: MailSettings
  ) -> (content: MailContent, code: Accounts.FreshCode?) {
    let serverURL = mail.serverURL ?? visit.request.serverURL
    switch (page, account) {
    case (.signUp, .some): return (.accountExists(serverURL), nil)
    case (.signUp, nil):
      let code = accounts.makeCode(.signUp, for: email, cookie: visit.formCookie)
      return (.signUp(serverURL, code: code.text), code)
    case (.reset, let account?) where !account.isDisabled:
      let code = accounts.makeCode(.reset, for: email, cookie: visit.formCookie)
      return (.reset(serverURL, code: code.text), code)
    case (.reset, _): return (.noAccount(serverURL), nil)
    }
  }

  /// The text of the app's sign-in request. The pages keep this text, so that their links lead back
  /// to the app's sign-in.
  private static func request(of visit: Visit) -> String? {
    let text = visit.request.isPost ? visit.request.form["request"] : visit.request.query["request"]
    guard let text, text.utf8.count <= 4_000,
      text.utf8.allSatisfy({
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      })
    else { return nil }
    return text
  }

  private static func signInLink(_ request: String?) -> HTML {
    let query = request.map { "?request=" + $0 } ?? ""
    return "<p><a href=\"/auth/sign-in\(query)\">Sign in</a></p>"
  }

  static func warning(_ alarm: String?) -> HTML? {
    alarm.map { alarm -> HTML in "<p class=\"alarm\" role=\"alert\">\(alarm)</p>" }
  }

  static let noPage = PageLayout.answer(
    "Not found", "<h1>There is no such page</h1><p><a href=\"/account\">Account</a></p>",
    status: 404)
}
