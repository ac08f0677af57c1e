import StratusDomain
import StratusWire

/// The page that shows a user the state of the user's devices. The user can let the team see it.
extension AccountPages {
  func showDevices(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    return try await devicesPage(visit, signedIn.account)
  }

  /// Makes a code of consent, and shows it once.
  func makeConsent(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let code = try await accounts.makeConsent(of: signedIn.account)
    return try await devicesPage(visit, signedIn.account, code: code)
  }

  func endConsents(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    try await accounts.registry.deleteConsents(ofAccount: signedIn.account.id)
    accounts.audit.note("the account '\(signedIn.account.email)' ended its codes of consent")
    return PageLayout.redirect(to: "/account/devices")
  }

  private func devicesPage(
    _ visit: Visit, _ account: Account, code: String? = nil
  ) async throws(ServerError) -> PageAnswer {
    var places: [StoreAddress] = []
    for session in try await accounts.registry.sessions(ofAccount: account.id)
    where !places.contains(session.store) && session.store.container != Accounts.anyContainer {
      places.append(session.store)
    }
    var sections: [HTML] = []
    for place in places.prefix(Self.placesMax) {
      let user = try await accounts.user(account.id, in: place.container)
      guard let report = try await devices?.devices(of: user, at: place) else { continue }
      sections.append(section(place, report.devices, unsavedBytes: report.unsavedBytes))
    }
    let consents = try await accounts.registry.consents(
      ofAccount: account.id, at: accounts.ambient.now())
    let made = code.map { code -> HTML in
      """
      <p role="status">The code is <strong><code>\(code)</code></strong>. It is shown only now, \
      and ends in an hour.</p>
      """
    }
    let content: HTML = """
      <h1>Your devices</h1>
      <p>This is what the server knows about the sync of your devices since its last start. It has \
      no contents of your records.</p>\(made)
      \(HTML(sections))\(sections.isEmpty ? "<p>No app is signed in.</p>" : nil)
      <h2>Let the support see this page</h2>
      <p>With a code, a member of the app's team sees what this page shows, for an hour. A code \
      opens none of your records.</p>
      <ul>\(HTML(consents.map(Self.item)))</ul>
      <form method="post" action="/account/devices/consent">\(visit.hidden(seal))
      <button>Make a code</button></form>
      <form method="post" action="/account/devices/end">\(visit.hidden(seal))
      <button class="quiet">End all codes</button></form>
      <p><a href="/account">Your account</a></p>
      """
    return PageLayout.answer("Your devices", content)
  }

  /// The maximum number of stores whose devices the page shows: one for each container and
  /// environment in which the account has a session. The page opens each of these stores.
  private static let placesMax = 10

  private static func item(_ consent: StoredConsent) -> HTML {
    let use: HTML =
      consent.usedAt.map { "last used \(Self.time($0))" } ?? "not used yet"
    return "<li>A code until \(Self.time(consent.endsAt)), \(use)</li>"
  }

  private func section(
    _ place: StoreAddress, _ devices: [DeviceReport], unsavedBytes: Int64
  ) -> HTML {
    let unsaved: HTML? =
      unsavedBytes == 0
      ? nil : "<p>\(String(unsavedBytes)) bytes of uploaded files are in no record yet.</p>"
    return """
      <h2>\(place.container) (\(place.environment.rawValue))</h2>\(unsaved)
      <ul>\(HTML(devices.map(Self.item)))</ul>\(devices.isEmpty ? "<p>No device.</p>" : nil)
      """
  }

  private static func item(_ device: DeviceReport) -> HTML {
    let name = device.app.isEmpty ? device.deviceID : device.app + ", " + device.deviceID
    let seen: HTML = device.lastSeen.map { "last request \(Self.time($0))" } ?? "not seen lately"
    let saved: HTML? = device.lastSave.map { ", last save \(Self.time($0))" }
    let zones = device.zones.prefix(10).map { zone -> HTML in
      let lag: HTML =
        zone.lag.map { $0 == 0 ? ", up to date" : ", \(String($0)) records behind" } ?? ""
      return "<li>zone \(zone.zoneName): last token \(Self.time(zone.tokenAt))\(lag)</li>"
    }
    let findings = device.findings.map { finding -> HTML in "<li>\(finding)</li>" }
    let failed = device.requests.filter { $0.outcome != RequestEntry.okay }.prefix(5)
      .map { request -> HTML in
        "<li>\(Self.time(request.time)): \(request.endpoint) failed with \(request.outcome)</li>"
      }
    return """
      <li>\(String(name.prefix(120)))<br><span class="small">\(seen)\(saved)</span>
      <ul>\(HTML(findings))\(HTML(zones))\(HTML(failed))</ul></li>
      """
  }
}
