import Foundation
import StratusDomain
import StratusWire

/// The sign-in with a passkey.
extension AccountPages {
  /// The parts of the sign-in page for passkeys. The button is hidden until the script shows it.
  struct PasskeyParts {
    let form: HTML
    let button: HTML
  }

  /// Returns the form whose fields the script fills in.
  ///
  /// - Parameters:
  ///   - options: the options for the browser.
  ///   - hidden: the hidden fields of the form.
  static func passkeyForm(
    _ action: String, _ options: PasskeyOptions, _ challenge: PasskeyChallenge, hidden: HTML
  ) -> HTML {
    let names = [
      "credential", "client_data", "authenticator_data", "attestation", "signature",
      "user_handle", "keep",
    ]
    let fields = names.map { name -> HTML in "<input type=\"hidden\" name=\"\(name)\">" }
    let json = String(decoding: options.jsonBytes, as: UTF8.self)
    return """
      <p id="passkey-alarm" class="alarm" role="alert" hidden></p>
      <form id="passkey" method="post" action="\(action)" data-options="\(json)">\(hidden)
      <input type="hidden" name="challenge" value="\(challenge.text)">\(HTML(fields))</form>
      """
  }

  /// Returns the parts for a sign-in with a passkey, or nil if no passkey works at the server's
  /// address.
  func passkeySignIn(_ visit: Visit, _ goal: SignInGoal) -> PasskeyParts? {
    guard let site = PasskeySite(serverURL: visit.request.serverURL) else { return nil }
    let challenge = PasskeyChallenge(
      for: nil, cookie: visit.formCookie, sealedBy: seal, randomness: accounts.randomness,
      now: accounts.ambient.now())
    return PasskeyParts(
      form: Self.passkeyForm(
        "/auth/passkey", accounts.passkeyOptions(challenge, site: site), challenge,
        hidden: "\(visit.hidden(seal))\(goal.fields)"),
      button: """
        <button id="passkey-button" class="quiet" form="passkey" hidden>Use a passkey</button>
        """)
  }

  /// Signs in with the answer of an authenticator. The authenticator has verified the user, so the
  /// sign-in needs no second factor.
  func signInWithPasskey(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    let form = visit.request.form
    let goal: SignInGoal
    switch try await self.goal(in: form) {
    case .refused(let page): return page
    case .goal(let found): goal = found
    }
    guard let site = PasskeySite(serverURL: visit.request.serverURL) else { return Self.noPage }
    guard
      let challenge = PasskeyChallenge(
        text: form["challenge"] ?? "", for: nil, cookie: visit.formCookie, sealedBy: seal,
        now: accounts.ambient.now())
    else { return expiredPasskeyPage(visit, goal) }
    switch try await accounts.signIn(
      Accounts.PasskeyAnswer(form), challenge: challenge, site: site)
    {
    case .usedAlready: return expiredPasskeyPage(visit, goal)
    case .refused(let fault, let account):
      noteRefusal(
        "a sign-in with a passkey failed: \(fault?.rawValue ?? "the passkey is unknown")", account,
        visit)
      return signInForm(
        visit, goal,
        alarm: "This passkey does not open an account here. It may have been removed.",
        status: 403)
    case .account(let account, let proof):
      guard try await begin(&visit, account, by: proof, isKept: form["keep"] == "yes") else {
        return expiredPasskeyPage(visit, goal)
      }
      try await endEarlierSession(of: visit)
      try await note("signed in with a passkey", account, visit)
      return PageLayout.redirect(to: goal.path)
    }
  }

  private func expiredPasskeyPage(_ visit: Visit, _ goal: SignInGoal) -> PageAnswer {
    signInForm(
      visit, goal, alarm: "The page was open for too long. Use the passkey again.", status: 403)
  }
}
