import StratusDomain
import StratusWire

/// The page on which a user sets the name, and decides whether other users can find the account.
extension AccountPages {
  private typealias SignedIn = (session: BrowserSession, account: Account)

  func showProfile(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    return try await profilePage(visit, signedIn)
  }

  private func profilePage(
    _ visit: Visit, _ signedIn: SignedIn, alarm: String? = nil, status: Int = 200
  ) async throws(ServerError) -> PageAnswer {
    let account = signedIn.account
    let profile = try await accounts.registry.profile(ofAccount: account.id)
    let phones = try await accounts.registry.phones(ofAccount: account.id)
    let phoneItems = phones.map { phone -> HTML in "<li>\(phone.number)</li>" }
    let numbers: HTML = """
      <p>Your other accounts have verified these telephone numbers:</p><ul>\(HTML(phoneItems))</ul>
      """
    let length = String(Accounts.nameLengthMax)
    let content: HTML = """
      <h1>Name and discovery</h1>\(Self.warning(alarm))
      <form method="post" action="/account/profile">\(visit.hidden(seal))
      <label for="given">First name</label>
      <input id="given" name="given" autocomplete="given-name" maxlength="\(length)" \
      value="\(profile.name?.given ?? "")">
      <label for="family">Last name</label>
      <input id="family" name="family" autocomplete="family-name" maxlength="\(length)" \
      value="\(profile.name?.family ?? "")">
      <fieldset><legend>May users of the same apps find you?</legend>
      <p class="small">They then find you by your e-mail address, by a verified telephone number \
      or by your user record, and see your name. The apps that you use see your name, too.</p>
      \(choice("yes", "Yes", isChosen: profile.discoverability == .granted))
      \(choice("no", "No", isChosen: profile.discoverability != .granted))
      </fieldset>
      <button>Save</button></form>
      \(phones.isEmpty ? nil : numbers)\(Self.backLink)
      """
    return PageLayout.answer("Name and discovery", content, status: status)
  }

  private func choice(_ value: String, _ text: String, isChosen: Bool) -> HTML {
    let checked: HTML? = isChosen ? " checked" : nil
    return """
      <label class="check"><input type="radio" name="discoverable" value="\(value)"\(checked)>\
      \(text)</label>
      """
  }

  func changeProfile(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let form = visit.request.form
    do throws(ServerError) {
      // NB: only the answer "yes" lets other users find the account. A missing answer means "no".
      try await accounts.changeProfile(
        of: signedIn.account, given: form["given"] ?? "", family: form["family"] ?? "",
        discoverability: form["discoverable"] == "yes" ? .granted : .denied)
    } catch {
      guard error.code == .badRequest else { throw error }
      return try await profilePage(visit, signedIn, alarm: error.reason, status: 422)
    }
    try await note("changed its name and discovery", signedIn.account, visit)
    return PageLayout.redirect(to: "/account/profile")
  }
}
