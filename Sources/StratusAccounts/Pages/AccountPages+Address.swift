import Foundation
import StratusDomain
import StratusWire

/// The pages on which a user confirms a further address, because a share invites this address
/// (docs/internals/sharing.md).
///
/// The server sends the same mail for every ID of a share, so neither the answer nor the work tells
/// whether the share exists, or which addresses it invites.
extension AccountPages {
  /// The page to which the link in the mail leads.
  enum AddressPage {
    static let path = "/auth/address"
  }

  private var mailSettings: MailSettings? { accounts.mail.flatMap { $0.isAvailable ? $0 : nil } }

  /// The form on the page of a share that the user may not see, or nil if the server sends no
  /// mails.
  func addressForm(_ id: String, _ visit: Visit) -> HTML? {
    guard mailSettings != nil else { return nil }
    return """
      <form method="post" action="/share/\(id)/address">\(visit.hidden(seal))
      <label for="address">Another address of yours, if the share invites it</label>
      <input id="address" name="address" type="email" autocomplete="email" required \
      maxlength="320" aria-describedby="rule">
      <p id="rule" class="small">You get a mail with a link that confirms the address. The link \
      works for ten minutes, and only in this browser.</p>
      <button class="quiet">Send the mail</button></form>
      """
  }

  /// Sends a mail with a code to a typed address. Only the mail tells whether the address has an
  /// account of its own.
  func sendAddressMail(
    _ visit: inout Visit, _ id: String, _ account: Account
  ) async throws(ServerError) -> PageAnswer {
    guard let mail = mailSettings else { return Self.noPage }
    let email = (visit.request.form["address"] ?? "").trimmingCharacters(in: .whitespaces)
      .lowercased()
    guard MailAddress.isValid(email), email != account.email.lowercased() else {
      return Self.addressFault(
        "Type an e-mail address that is not the address of your account.", id, status: 422)
    }
    let now = accounts.ambient.now()
    guard addressPace.admit(account.id, now: now),
      mailPace.admit(visit.request.subscriber, now: now)
    else {
      noteRefusal("a mail for a further address was refused: too many requests", account, visit)
      return Self.tooManyAddressMails(id)
    }
    let serverURL = mail.serverURL ?? visit.request.serverURL
    let code = accounts.makeCode(
      .address, for: email, cookie: visit.formCookie, account: account)
    let isFree = try await accounts.registry.account(email: email) == nil
    let exceeded = try await accounts.post(
      isFree
        ? .address(serverURL, code: code.text, account: account.email)
        : .addressHasAccount(serverURL),
      to: email, code: isFree ? code.stored : nil)
    // NB: if the limit of the mailbox is exceeded, the page is the same as usual. A user must not
    // learn whether other people's mailboxes already got mails.
    if let exceeded, !exceeded.isForMailbox { return Self.tooManyAddressMails(id) }
    visit.keep(share: id)
    return PageLayout.answer(
      "Look into your mailbox",
      """
      <h1>Look into your mailbox</h1>
      <p>The server sends a mail to <strong>\(email)</strong>. Open the link in the mail within \
      ten minutes, in this browser.</p>
      <p class="small">If no mail arrives, look into the folder for unwanted mail. One address \
      gets at most three mails in an hour.</p>
      <p><a href="/share/\(id)">Back</a></p>
      """)
  }

  private static func addressFault(_ alarm: String, _ id: String, status: Int) -> PageAnswer {
    PageLayout.answer(
      "Another address",
      """
      <h1>Another address</h1>\(warning(alarm))
      <p><a href="/share/\(id)">Back</a></p>
      """, status: status)
  }

  private static func tooManyAddressMails(_ id: String) -> PageAnswer {
    var answer = addressFault(
      "There were too many requests. Try again in an hour.", id, status: 429)
    answer.fields.append(("Retry-After", "3600"))
    return answer
  }

  // The link in the mail

  /// Returns the stored code of a text, if the code adds an address to this account.
  private func addressCode(
    _ text: String, _ visit: Visit, of account: Account
  ) async throws(ServerError) -> MailCode? {
    guard let code = try await accounts.code(text, cookie: visit.formCookie),
      code.purpose == .address, code.accountID == account.id
    else { return nil }
    return code
  }

  /// Shows the button that confirms an address. The code stays valid, because mail programs open
  /// links on their own.
  func showAddress(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    let text = visit.request.query["code"] ?? ""
    guard let account = visit.signedIn?.account,
      let code = try await addressCode(text, visit, of: account)
    else { return Self.expiredCode }
    if account.isRestricted { return Self.restricted }
    return PageLayout.answer(
      "Confirm your address",
      """
      <h1>Confirm your address</h1>
      <p>You are signed in as <strong>\(account.email)</strong>. Your account can then join what \
      others share with <strong>\(code.email)</strong>.</p>
      <form method="post" action="\(AddressPage.path)">\(visit.hidden(seal))
      <input type="hidden" name="code" value="\(text)">
      <button>Confirm</button></form>
      """)
  }

  /// Adds the address to the account, and shows the share again.
  func confirmAddress(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let account = visit.signedIn?.account,
      let code = try await addressCode(visit.request.form["code"] ?? "", visit, of: account)
    else { return Self.expiredCode }
    if account.isRestricted { return Self.restricted }
    let outcome = try await accounts.registry.confirmAddress(
      codeHash: code.hash, accountID: account.id, countMax: Limits.addressesPerAccountMax,
      at: accounts.ambient.now())
    switch outcome {
    case .confirmed(let address):
      try await note("confirmed a further address", account, visit)
      await accounts.notify(account, .addressAdded(accounts.serverName, address.email))
      return PageLayout.redirect(to: visit.nextPath)
    case .refused: return Self.expiredCode
    case .tooMany: return Self.tooManyAddresses
    }
  }

  private static let tooManyAddresses = PageLayout.answer(
    "Too many addresses",
    """
    <h1>Your account has too many addresses</h1>
    <p>Remove an address on the page of your account, and open the link in the mail again.</p>
    <p><a href="/account">Account</a></p>
    """, status: 422)

  // The page of the account

  /// The further addresses of an account, or nil if it has none.
  func addressList(_ visit: Visit, _ account: Account) async throws(ServerError) -> HTML? {
    let addresses = try await accounts.registry.addresses(ofAccount: account.id)
    if addresses.isEmpty { return nil }
    let items = addresses.map { address -> HTML in
      """
      <li>\(address.email)<br><span class="small">confirmed \(Self.time(address.confirmedAt))</span>
      <form method="post" action="/account/addresses/remove">\(visit.hidden(seal))
      <input type="hidden" name="address" value="\(address.email)">
      <button class="quiet" aria-label="Remove \(address.email)">Remove</button></form></li>
      """
    }
    return """
      <h2>Other addresses</h2>
      <p class="small">Others can share with you by these addresses. You cannot sign in with \
      them.</p>
      <ul>\(HTML(items))</ul>
      """
  }

  func removeAddress(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let account = visit.signedIn?.account else {
      return PageLayout.redirect(to: "/auth/sign-in")
    }
    let email = visit.request.form["address"] ?? ""
    if try await accounts.registry.deleteAddress(email, ofAccount: account.id) {
      try await note("removed a further address", account, visit)
    }
    return PageLayout.redirect(to: "/account")
  }
}
