import StratusDomain

/// One request for a page, with the facts that its cookies prove.
struct Visit {
  let request: PageRequest
  /// The browser's session and account, or nil if the browser is not signed in.
  let signedIn: (session: BrowserSession, account: Account)?
  /// The text of the form cookie. If the request had no form cookie, the text is new.
  let formCookie: String
  /// The proof that an account has signed in with this browser, or nil if there is none.
  let knownBrowser: KnownBrowser?
  /// The ID of the share whose page the user opened before the sign-in, or nil if there is none.
  let shareToOpen: String?
  private(set) var cookieFields: [(name: String, value: String)] = []
  private let isSecure: Bool

  /// The names of the cookies, without the prefix `__Host-`.
  enum Cookie: String {
    case session = "stratus"
    case form = "stratus-form"
    case browser = "stratus-browser"
    case share = "stratus-share"
  }

  init(_ request: PageRequest, pages: AccountPages) async throws(ServerError) {
    self.request = request
    isSecure = request.serverURL.hasPrefix("https://")
    let prefix = isSecure ? "__Host-" : ""
    func cookie(_ cookie: Cookie) -> String? { request.cookies[prefix + cookie.rawValue] }
    if let text = cookie(.session) {
      signedIn = try await pages.accounts.browserSession(cookie: text)
    } else {
      signedIn = nil
    }
    shareToOpen = cookie(.share).flatMap { ShareDesk.isPlausible($0) ? $0 : nil }
    knownBrowser = cookie(.browser).flatMap { KnownBrowser(text: $0, sealedBy: pages.seal) }
    if let text = cookie(.form), text.utf8.count == 64 {
      formCookie = text
    } else {
      formCookie = pages.accounts.randomness(32).hex
      set(.form, formCookie, seconds: nil)
    }
  }

  /// The client's address as the log shows it.
  var subscriber: String { request.subscriber ?? "an unknown address" }

  /// Sets a cookie.
  ///
  /// - Parameter seconds: the lifetime of the cookie, or nil if it lasts until the browser is
  ///   closed.
  mutating func set(_ cookie: Cookie, _ text: String, seconds: Int?) {
    let name = (isSecure ? "__Host-" : "") + cookie.rawValue
    let life = seconds.map { "; Max-Age=\($0)" } ?? ""
    let secure = isSecure ? "; Secure" : ""
    cookieFields.append(
      ("Set-Cookie", "\(name)=\(text); Path=/; HttpOnly; SameSite=Lax\(secure)\(life)"))
  }

  mutating func remove(_ cookie: Cookie) { set(cookie, "", seconds: 0) }

  /// Sets the cookies of a new sign-in.
  mutating func keep(
    session text: String, isKept: Bool, as browser: KnownBrowser, seal: PageSeal
  ) {
    let life = Accounts.BrowserSessionLife.kept / 1_000
    set(.session, text, seconds: isKept ? Int(life) : nil)
    set(
      .browser, browser.text(sealedBy: seal),
      seconds: Int(KnownBrowser.lifetimeMilliseconds / 1_000))
  }

  /// Remembers the share whose page the user opens, so that a sign-up leads back to this page.
  mutating func keep(share id: String) { set(.share, id, seconds: 3_600) }

  /// The page after a sign-in: the page of the share that the user has opened before, or the page
  /// of the account.
  var nextPath: String { shareToOpen.map { "/share/" + $0 } ?? "/account" }

  /// Whether the browser says that a page of this server, or the user without any page, made the
  /// request. Also true if the browser says nothing about it.
  var comesFromOwnPage: Bool {
    request.fetchSite.map { $0 == "same-origin" || $0 == "none" } ?? true
  }

  /// Whether the form comes from a page of this server in this browser.
  func isOwnForm(_ seal: PageSeal) -> Bool {
    guard comesFromOwnPage else { return false }
    if let origin = request.origin, origin != request.serverURL.lowercased() { return false }
    // NB: a form cannot belong to a cookie that this request has just created.
    guard cookieFields.isEmpty, let token = request.form["form"] else { return false }
    return seal.isFormToken(token, formCookie)
  }

  /// Whether a URL uses HTTPS, or plain HTTP to this machine. Other machines cannot read the data
  /// on such a connection.
  static func isPrivate(_ url: String) -> Bool {
    if url.hasPrefix("https://") { return true }
    guard url.hasPrefix("http://") else { return false }
    let authority = url.dropFirst(7).prefix { $0 != "/" }
    if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } == "[::1" }
    let host = authority.prefix { $0 != ":" }.lowercased()
    return host == "localhost" || host.hasSuffix(".localhost")
      || host.wholeMatch(of: /127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/) != nil
  }

  /// Returns the hidden fields that every form has, and the field for the app's sign-in request if
  /// there is one.
  func hidden(_ seal: PageSeal, request text: String? = nil) -> HTML {
    let asked = text.map { value -> HTML in
      "<input type=\"hidden\" name=\"request\" value=\"\(value)\">"
    }
    return """
      <input type="hidden" name="form" value="\(seal.formToken(formCookie))">\(asked)
      """
  }
}
