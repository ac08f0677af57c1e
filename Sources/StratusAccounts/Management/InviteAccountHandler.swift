import StratusDomain
import StratusWire

/// Answers ``InviteAccount``.
struct InviteAccountHandler: ManagementHandler {
  typealias Endpoint = InviteAccount

  let accounts: Accounts

  func answer(
    _ request: InviteAccount.Request
  ) async throws(ServerError) -> InviteAccount.Response {
    let email = request.email.lowercased()
    try Accounts.requireAddress(email)
    guard let mail = accounts.mail, mail.policy != .closed else {
      throw .badRequest(
        "this server does not accept invitations; start it with --sign-up invited and --public-url")
    }
    guard let serverURL = accounts.linkURL else {
      throw .badRequest("the server is not ready yet; repeat the command")
    }
    if let account = try await accounts.registry.account(email: email),
      try await accounts.registry.password(ofAccount: account.id) != nil
    {
      throw .badRequest("the account '\(email)' exists already and has a password")
    }
    let code = accounts.makeCode(.invitation, for: email, cookie: nil)
    guard request.isMailed else {
      try await accounts.registry.create(code.stored)
      accounts.audit.noteChange("made an invitation for '\(email)'")
      return InviteAccount.Response(url: MailContent.link(serverURL, code.text))
    }
    guard mail.isAvailable else {
      throw .badRequest(
        "the server sends no mails; start it with --smtp-host, or print the link with --print")
    }
    let exceeded = try await accounts.post(
      .invitation(serverURL, code: code.text), to: email, code: code.stored)
    if let exceeded {
      throw ServerError(
        .throttled,
        exceeded.isForMailbox
          ? "too many mails were sent to '\(email)'; wait an hour, or print the link with --print"
          : "the limit of mails for this hour is reached; wait, or raise --mails-per-hour",
        retryAfterSeconds: 3_600)
    }
    accounts.audit.noteChange("invited '\(email)' by mail")
    return InviteAccount.Response(url: nil)
  }
}
