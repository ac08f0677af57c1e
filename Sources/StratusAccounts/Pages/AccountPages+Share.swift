import StratusDomain
import StratusWire

/// The page of a share, at the share's URL (docs/internals/sharing.md).
///
/// A user who may not see a share gets the same pages for every ID. The pages do not disclose
/// whether there is a share with the ID.
extension AccountPages {
  /// A share that the user may see, and the user as a caller in the share's container.
  private struct Found {
    let offer: ShareDesk.Offer
    let caller: Caller
  }

  /// Answers `/share/ID`, `/share/ID/accept`, `/share/ID/request`, `/share/ID/address` and
  /// `/share/ID/picture`.
  func sharePage(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    let parts = visit.request.path.split(separator: "/")
    guard let shares, (2...3).contains(parts.count) else { return Self.noPage }
    let id = String(parts[1])
    guard ShareDesk.isPlausible(id) else { return Self.noPage }
    guard let signedIn = visit.signedIn else {
      // NB: the server does not look for the share before the user has signed in.
      visit.keep(share: id)
      return signInForm(visit, SignInGoal(share: id))
    }
    if visit.shareToOpen != nil { visit.remove(.share) }
    let account = signedIn.account
    // NB: the answer is the same for every ID, because the server does not look for the share.
    if account.isRestricted { return Self.restricted }
    switch (parts.count == 3 ? parts[2] : "", visit.request.isPost) {
    case ("", false): return try await show(id, account, visit, shares)
    case ("accept", true): return try await accept(id, account, visit, shares)
    case ("request", true): return try await requestAccess(id, account, visit, shares)
    case ("address", true): return try await sendAddressMail(&visit, id, account)
    case ("picture", false): return try await showPicture(id, account, visit, shares)
    default: return Self.noPage
    }
  }

  private func show(
    _ id: String, _ account: Account, _ visit: Visit, _ shares: ShareDesk
  ) async throws(ServerError) -> PageAnswer {
    guard let found = try await find(id, account, visit, shares) else {
      return unknownShare(id, account, visit)
    }
    let offer = found.offer
    let title = offer.title.map { String($0.prefix(200)) } ?? "A share"
    let picture = offer.thumbnail.flatMap(Self.pictureType).map { _ -> HTML in
      "<p><img class=\"picture\" src=\"/share/\(id)/picture\" alt=\"\"></p>"
    }
    let sender = try await inviter(of: offer)
    let content: HTML = """
      <h1>\(title)</h1>\(picture)
      <p>\(sender) in <strong>\(offer.store.container)</strong> \
      (\(offer.store.environment.rawValue)).</p>
      <p>\(Self.permission(offer))</p>
      \(step(id, offer, visit))
      <p class="small">You are signed in as \(account.email). <a href="/account">Account</a></p>
      """
    return PageLayout.answer(title, content, keepsFragment: true)
  }

  private func accept(
    _ id: String, _ account: Account, _ visit: Visit, _ shares: ShareDesk
  ) async throws(ServerError) -> PageAnswer {
    guard let found = try await find(id, account, visit, shares) else {
      return unknownShare(id, account, visit)
    }
    let store = found.offer.store
    // The share then contains the user's record name. The registry must know whose name this is.
    _ = try await accounts.user(account.id, in: store.container)
    do throws(ServerError) {
      guard
        try await shares.accept(
          id, as: found.caller, addresses: try await accounts.addresses(of: account), at: store)
      else { return unknownShare(id, account, visit) }
    } catch {
      guard error.code == .badRequest else { throw error }
      let content: HTML = """
        <h1>You cannot join</h1>
        <p>The server refuses: \(error.reason).</p>
        <p><a href="/share/\(id)">Back</a></p>
        """
      return PageLayout.answer("You cannot join", content, status: 403, keepsFragment: true)
    }
    try await note("joined a share in \(store.inLog)", account, visit)
    return PageLayout.redirect(to: "/share/" + id)
  }

  /// Asks the owner for access. The answer is the same for every ID.
  private func requestAccess(
    _ id: String, _ account: Account, _ visit: Visit, _ shares: ShareDesk
  ) async throws(ServerError) -> PageAnswer {
    let addresses = try await accounts.addresses(of: account)
    for store in try await shares.candidates(for: id) {
      // The registry must know the user, so that the owner's invitation finds the account.
      _ = try await accounts.user(account.id, in: store.container)
      try await shares.requestAccess(
        to: id, for: try await caller(account, at: store, visit),
        addresses: addresses, at: store)
    }
    let content: HTML = """
      <h1>Request sent</h1>
      <p>If this is the URL of a share whose owner takes requests, the owner has been asked to \
      invite <strong>\(account.email)</strong>. Open the URL again when the owner has answered.</p>
      """
    return PageLayout.answer("Request sent", content)
  }

  private func showPicture(
    _ id: String, _ account: Account, _ visit: Visit, _ shares: ShareDesk
  ) async throws(ServerError) -> PageAnswer {
    guard let found = try await find(id, account, visit, shares),
      let bytes = found.offer.thumbnail, let type = Self.pictureType(bytes)
    else { return Self.noPage }
    return PageAnswer(
      fields: [
        (name: "Content-Type", value: type),
        (name: "Content-Security-Policy", value: PageLayout.emptyPolicy + "; sandbox"),
      ] + PageLayout.secureFields, body: bytes)
  }

  // Shares

  /// Finds a share, if the account may see it.
  private func find(
    _ id: String, _ account: Account, _ visit: Visit, _ shares: ShareDesk
  ) async throws(ServerError) -> Found? {
    let addresses = try await accounts.addresses(of: account)
    for store in try await shares.candidates(for: id) {
      let caller = try await caller(account, at: store, visit)
      if let offer = try await shares.offer(
        id, to: caller, addresses: addresses, at: store)
      {
        return Found(offer: offer, caller: caller)
      }
    }
    return nil
  }

  /// Returns the account as a caller in a container. The method writes nothing.
  private func caller(
    _ account: Account, at store: StoreAddress, _ visit: Visit
  ) async throws(ServerError) -> Caller {
    let known = try await accounts.registry.user(ofAccount: account.id, in: store.container)
    let user =
      known?.userRecordName
      ?? accounts.names.userRecordName(accountID: account.id, container: store.container)
    var caller = Caller(
      principal: .userSession(
        UserSession(userRecordName: user, sessionID: "", accountID: account.id)),
      deviceID: "share page", requestUUID: accounts.ambient.makeUUID(),
      clientAddress: visit.request.clientAddress)
    caller.serverURL = visit.request.serverURL
    // NB: with this flag, a container without a store reads as empty, and no store is created.
    caller.createsContainer = true
    return caller
  }

  // Parts of the page

  /// Returns the beginning of the sentence about the sender. Choice: only invited users see the
  /// owner's address. A user who has found the URL of a public share does not see it.
  private func inviter(of offer: ShareDesk.Offer) async throws(ServerError) -> HTML {
    switch offer.role {
    case .owner: return "You share this"
    case .user, .administrator:
      let known = try await accounts.registry.user(
        named: offer.owner, in: offer.store.container)
      if let known, let owner = try await accounts.registry.account(id: known.accountID) {
        return "<strong>\(owner.email)</strong> shares this with you"
      }
      return "Somebody shares this with you"
    case .publicUser, .unknown: return "Shared with everyone who has this URL,"
    }
  }

  private static func permission(_ offer: ShareDesk.Offer) -> String {
    switch offer.permission {
    case .readWrite: "You may read and change the shared records."
    case .readOnly, .none, .unknown: "You may read the shared records."
    }
  }

  /// The button to accept, or the links to the app.
  private func step(_ id: String, _ offer: ShareDesk.Offer, _ visit: Visit) -> HTML {
    guard offer.status == .accepted else {
      return """
        <form method="post" action="/share/\(id)/accept">\(visit.hidden(seal))
        <button>Accept</button></form>
        """
    }
    let url = visit.request.serverURL + "/share/" + id
    let app = offer.settings.shareAppURL.map { app -> HTML in
      """
      <p><a id="open" data-app="\(app)" data-share="\(id)" \
      href="\(app + Self.encode(url))">Open in the app</a></p>
      """
    }
    let fallback = offer.settings.shareFallbackURL.map { page -> HTML in
      "<p><a href=\"\(page)\" rel=\"noreferrer\">More about the app</a></p>"
    }
    return "<p>You take part. The records are in the app's shared database.</p>\(app)\(fallback)"
  }

  /// The page for an ID that belongs to no share, or to a share that the account may not see.
  private func unknownShare(_ id: String, _ account: Account, _ visit: Visit) -> PageAnswer {
    let content: HTML = """
      <h1>Nothing is shared with you here</h1>
      <p>Perhaps the share has ended, or it invites another address of yours. You are signed in as \
      <strong>\(account.email)</strong>.</p>
      <form method="post" action="/auth/sign-out">\(visit.hidden(seal))
      <button class="quiet">Sign out</button></form>
      <form method="post" action="/share/\(id)/request">\(visit.hidden(seal))
      <p>You can ask the owner for access. The owner then sees your address.</p>
      <button class="quiet">Ask for access</button></form>
      \(addressForm(id, visit))
      """
    return PageLayout.answer("Nothing is shared here", content, status: 404)
  }

  /// The page for a user whose account is restricted. It is the same for every share.
  static let restricted = PageLayout.answer(
    "Your account is restricted",
    """
    <h1>Your account is restricted</h1>
    <p>The server only stores your data. You cannot open or join a share until the restriction \
    ends.</p>
    <p><a href="/account">Account</a></p>
    """, status: 403)

  /// Returns the media type of a picture according to its first bytes. Other bytes are not shown,
  /// because a browser could interpret them as a page.
  private static func pictureType(_ bytes: [UInt8]) -> String? {
    func begins(_ start: [UInt8]) -> Bool { bytes.starts(with: start) }
    if begins([0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if begins([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if begins(Array("GIF8".utf8)) { return "image/gif" }
    if begins(Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      return "image/webp"
    }
    return nil
  }
}
