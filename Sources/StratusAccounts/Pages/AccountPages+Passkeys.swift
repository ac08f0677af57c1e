import Foundation
import StratusDomain
import StratusWire

/// The page on which a user adds, renames and removes passkeys.
extension AccountPages {
  private typealias SignedIn = (session: BrowserSession, account: Account)

  func showPasskeys(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    return try await passkeysPage(visit, signedIn)
  }

  private func passkeysPage(
    _ visit: Visit, _ signedIn: SignedIn, alarm: String? = nil, status: Int = 200
  ) async throws(ServerError) -> PageAnswer {
    let account = signedIn.account
    let passkeys = try await accounts.registry.passkeys(ofAccount: account.id)
    let hasPassword = try await accounts.registry.password(ofAccount: account.id) != nil
    let site = PasskeySite(serverURL: visit.request.serverURL)
    let items = passkeys.map { Self.item($0, site) }
    let change: HTML = """
      <form method="post" action="/account/passkeys/change">\(visit.hidden(seal))
      <ul>\(HTML(items))</ul>
      <label for="rename">New name</label>
      <input id="rename" name="name" type="text" maxlength="64" autocomplete="off">
      \(try await proofFields("change", of: account))
      <div class="row"><button name="action" value="rename">Rename</button>
      <button class="quiet" name="action" value="remove">Remove</button></div></form>
      """
    let add: HTML = """
      <h2>Add a passkey</h2>
      <form method="post" action="/account/passkeys/new">\(visit.hidden(seal))
      <label for="name">Name, such as the name of the device</label>
      <input id="name" name="name" type="text" maxlength="64" required autocomplete="off">
      \(try await proofFields("new", of: account))
      <button>Continue</button></form>
      """
    let noAddress: HTML = """
      <p>Passkeys need a host name, so this address of the server cannot have any.</p>
      """
    let only: HTML = """
      <h2>Remove the password</h2>
      <p class="small">Then only your passkeys open the account. If you lose all of them, a mail \
      or the operator of the server can set a new password.</p>
      <form method="post" action="/account/passkeys/only">\(visit.hidden(seal))
      \(try await proofFields("only", of: account))\
      <button class="quiet">Remove the password</button></form>
      """
    let content: HTML = """
      <h1>Passkeys</h1>\(Self.warning(alarm))
      <p>A passkey signs you in by the lock of your device, without a password.</p>
      \(passkeys.isEmpty ? nil : change)\(site == nil ? noAddress : add)\
      \(hasPassword && !passkeys.isEmpty ? only : nil)\(Self.backLink)
      """
    return PageLayout.answer("Passkeys", content, status: status)
  }

  private static func item(_ passkey: Passkey, _ site: PasskeySite?) -> HTML {
    let id = Base64URL.encode(passkey.id)
    let used = passkey.lastUsedAt.map { ", last used \(time($0))" } ?? ", never used"
    let elsewhere: HTML = """
      <br><span class="small">It works only at \(passkey.host), not at this address.</span>
      """
    let suspect: HTML = """
      <br><span class="alarm">This passkey may have been copied. Remove it, unless you know why.\
      </span>
      """
    return """
      <li><label class="check"><input type="radio" name="id" value="\(id)" required>\
      <span>\(passkey.name)<br><span class="small">since \(time(passkey.createdAt))\(used)\
      </span>\(passkey.host == site?.id ? nil : elsewhere)\(passkey.isSuspect ? suspect : nil)\
      </span></label></li>
      """
  }

  /// Shows the page whose script creates a passkey.
  func askForPasskey(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    guard let site = PasskeySite(serverURL: visit.request.serverURL) else { return Self.noPage }
    if case .refused(let alarm, let status) = try await confirm(visit, signedIn) {
      return try await passkeysPage(visit, signedIn, alarm: alarm, status: status)
    }
    let account = signedIn.account
    let challenge = PasskeyChallenge(
      for: account.id, cookie: visit.formCookie, sealedBy: seal, randomness: accounts.randomness,
      now: accounts.ambient.now())
    let options = accounts.passkeyOptions(
      challenge, site: site, account: account,
      existing: try await accounts.registry.passkeys(ofAccount: account.id))
    let name = ShownName.clean(visit.request.form["name"] ?? "")
    let hidden: HTML = """
      \(visit.hidden(seal))<input type="hidden" name="name" value="\(name)">
      """
    let content: HTML = """
      <h1>Create a passkey</h1>
      <p>Your browser asks where to store the passkey, for example on this device, on a phone \
      or on a security key.</p>
      \(Self.passkeyForm("/account/passkeys/add", options, challenge, hidden: hidden))
      <button id="passkey-button" form="passkey" hidden>Create the passkey</button>
      <noscript><p class="alarm">Passkeys need JavaScript.</p></noscript>
      <p><a href="/account/passkeys">Cancel</a></p>
      """
    return PageLayout.answer("Create a passkey", content, usesPasskeys: true)
  }

  /// Stores the passkey that an authenticator has created.
  func addPasskey(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    guard let site = PasskeySite(serverURL: visit.request.serverURL) else { return Self.noPage }
    let (account, form) = (signedIn.account, visit.request.form)
    guard
      let challenge = PasskeyChallenge(
        text: form["challenge"] ?? "", for: account.id, cookie: visit.formCookie, sealedBy: seal,
        now: accounts.ambient.now())
    else {
      return try await passkeysPage(
        visit, signedIn, alarm: "The page was open for too long. Begin again.", status: 403)
    }
    do throws(ServerError) {
      guard
        try await accounts.addPasskey(
          Accounts.PasskeyAnswer(form), named: form["name"] ?? "", to: account,
          challenge: challenge, site: site)
      else {
        return try await passkeysPage(
          visit, signedIn,
          alarm: "The passkey is stored already, or your account has too many passkeys.",
          status: 409)
      }
    } catch {
      guard error.code == .badRequest else { throw error }
      noteRefusal("a new passkey was refused: \(error.reason)", account, visit)
      return try await passkeysPage(
        visit, signedIn,
        alarm: "The server does not accept this passkey. It needs a lock, such as a fingerprint or "
          + "a PIN.", status: 403)
    }
    try await note("added a passkey", account, visit)
    await accounts.notify(account, .passkeyAdded(accounts.serverName))
    return PageLayout.redirect(to: "/account/passkeys")
  }

  /// Renames or removes a passkey.
  func changePasskey(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    if case .refused(let alarm, let status) = try await confirm(visit, signedIn) {
      return try await passkeysPage(visit, signedIn, alarm: alarm, status: status)
    }
    let (account, form) = (signedIn.account, visit.request.form)
    let id = Base64URL.decode(form["id"] ?? "") ?? []
    switch form["action"] {
    case "rename":
      let name = ShownName.clean(form["name"] ?? "").trimmingCharacters(in: .whitespaces)
      guard !name.isEmpty else {
        return try await passkeysPage(visit, signedIn, alarm: "Type a name.", status: 422)
      }
      _ = try await accounts.registry.rename(passkey: id, ofAccount: account.id, to: name)
    case "remove":
      switch try await accounts.registry.deletePasskey(
        id: id, ofAccount: account.id, keepingSession: signedIn.session.hash)
      {
      case .unknown: break
      case .isLast:
        return try await passkeysPage(
          visit, signedIn,
          alarm: "This is your only way to sign in. Add another passkey first.", status: 409)
      case .removed:
        try accounts.journal(.passkey, of: id.hex)
        try accounts.journal(.browserSessions, of: account.id)
        try await note("removed a passkey", account, visit)
        await accounts.notify(account, .passkeyRemoved(accounts.serverName))
      }
    default: break
    }
    return PageLayout.redirect(to: "/account/passkeys")
  }

  /// Removes the password of the account. The other credentials of the account remain.
  func removePassword(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    if case .refused(let alarm, let status) = try await confirm(visit, signedIn) {
      return try await passkeysPage(visit, signedIn, alarm: alarm, status: status)
    }
    let account = signedIn.account
    switch try await accounts.registry.deletePassword(
      ofAccount: account.id, keepingSession: signedIn.session.hash)
    {
    case .unknown: break
    case .isLast:
      return try await passkeysPage(
        visit, signedIn, alarm: "Add a passkey before you remove the password.", status: 409)
    case .removed:
      try accounts.journal(.password, .browserSessions, of: account.id)
      try await note("removed its password", account, visit)
      await accounts.notify(account, .passwordRemoved(accounts.serverName))
    }
    return PageLayout.redirect(to: "/account/passkeys")
  }
}
