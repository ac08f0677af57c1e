import StratusDomain
import StratusWire

/// The page on which a user downloads the account's data, restricts its use, and deletes the
/// account.
extension AccountPages {
  func showData(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    return try await dataPage(visit, signedIn.account)
  }

  private func dataPage(
    _ visit: Visit, _ account: Account, alarm: String? = nil, status: Int = 200
  ) async throws(ServerError) -> PageAnswer {
    let warning = alarm.map { alarm -> HTML in
      "<p class=\"alarm\" role=\"alert\">\(alarm)</p>"
    }
    let (export, restriction, deletion) = (
      try await exportForm(visit, account), try await restrictionForm(visit, account),
      try await deletionForm(visit, account)
    )
    let content: HTML = """
      <h1>Your data</h1>\(warning)
      \(archives == nil ? nil : export)
      <h2>Restrict the use of your data</h2>
      \(restriction)
      \(remover == nil ? nil : deletion)
      <p><a href="/account">Your account</a></p>
      """
    return PageLayout.answer("Your data", content, status: status)
  }

  private func exportForm(_ visit: Visit, _ account: Account) async throws(ServerError) -> HTML {
    let fields = try await proofFields("export", of: account)
    return """
      <h2>Download your data</h2>
      <p>The archive has the facts about your account, your records and files in all apps, and the \
      public records that you have created. Encrypted values stay encrypted.</p>
      <form method="post" action="/account/data/export">\(visit.hidden(seal))
      \(fields)
      <button>Download</button></form>
      """
  }

  private func restrictionForm(
    _ visit: Visit, _ account: Account
  ) async throws(ServerError) -> HTML {
    if account.isRestricted, !account.isRestrictedByUser {
      return """
        <p>The operator or a member of the team has restricted your account. Only they can change \
        this.</p>
        """
    }
    let fields = try await proofFields("restrict", of: account)
    let explanation: HTML =
      account.isRestricted
      ? "<p>Your data is only stored. No app can read or change it.</p>"
      : """
      <p>The server then only stores your data. No app can read or change it, and your devices get \
      no notifications. Nothing is deleted. You can end this here.</p>
      """
    return """
      \(explanation)
      <form method="post" action="/account/data/restrict">\(visit.hidden(seal))
      \(fields)
      <button class="quiet" name="action" value="\(account.isRestricted ? "end" : "begin")">\
      \(account.isRestricted ? "End the restriction" : "Restrict")</button></form>
      """
  }

  private func deletionForm(_ visit: Visit, _ account: Account) async throws(ServerError) -> HTML {
    let fields = try await proofFields("delete", of: account)
    return """
      <h2>Delete your account</h2>
      <p>This deletes your account and all its data in all apps: records, files, devices and the \
      shares that you own. You leave the shares of others. It cannot be undone.</p>
      <form method="post" action="/account/data/delete">\(visit.hidden(seal))
      \(fields)
      <label for="confirmation">Type your e-mail address</label>
      <input id="confirmation" name="confirmation" type="email" autocomplete="off" required \
      maxlength="254">
      <label class="check"><input name="public" type="checkbox" value="delete">Delete my public \
      records, too. Otherwise they stay without my name.</label>
      <button>Delete my account</button></form>
      """
  }

  func changeRestriction(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let account = signedIn.account
    if case .refused(let alarm, let status) = try await confirm(visit, signedIn) {
      return try await dataPage(visit, account, alarm: alarm, status: status)
    }
    let begins = visit.request.form["action"] == "begin"
    let sentence = begins ? "restricted its data" : "ended the restriction of its data"
    let entry = AuditEntry(
      time: accounts.ambient.now(), actor: .user, action: "account-page", accountID: account.id,
      subject: sentence)
    let isChanged = try await accounts.registry.setRestrictedByUser(
      begins, accountID: account.id, entry: entry)
    if isChanged {
      try accounts.journal(
        begins ? .restricted : .unrestricted, of: account.id,
        detail: begins ? RemovalEntry.byUser : nil)
      accounts.memory.forget()
      accounts.audit.note("the account '\(account.email)' \(sentence), from \(visit.subscriber)")
      try await remover?.releaseEnded()
    }
    return PageLayout.redirect(to: "/account/data")
  }

  /// Answers with the archive, which the browser stores as a file.
  func exportData(_ visit: Visit) async throws(ServerError) -> PageAnswer {
    guard let archives else { return Self.noPage }
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let account = signedIn.account
    if case .refused(let alarm, let status) = try await confirm(visit, signedIn) {
      return try await dataPage(visit, account, alarm: alarm, status: status)
    }
    try await note("downloaded its data", account, visit)
    await accounts.notify(account, .dataExported(accounts.serverName))
    var answer = PageAnswer(
      fields: [
        (name: "Content-Type", value: "application/x-tar"),
        (name: "Content-Disposition", value: "attachment; filename=\"stratus-account.tar\""),
      ] + PageLayout.secureFields)
    answer.stream = archives.stream(of: account, report: report)
    return answer
  }

  func deleteAccount(_ visit: inout Visit) async throws(ServerError) -> PageAnswer {
    guard let remover else { return Self.noPage }
    guard let signedIn = visit.signedIn else { return PageLayout.redirect(to: "/auth/sign-in") }
    let (account, form) = (signedIn.account, visit.request.form)
    if case .refused(let alarm, let status) = try await confirm(visit, signedIn) {
      return try await dataPage(visit, account, alarm: alarm, status: status)
    }
    guard form["confirmation"]?.lowercased() == account.email else {
      return try await dataPage(
        visit, account, alarm: "Type the e-mail address of this account.", status: 422)
    }
    let choice: PublicRecordsChoice = form["public"] == "delete" ? .delete : .keep
    switch try await remover.begin(account.id, choice, by: .user) {
    case .noAccount: return PageLayout.redirect(to: "/auth/sign-in")
    case .lastOwner:
      return try await dataPage(
        visit, account,
        alarm: "You are the last owner of the server's team. Make another member an owner first.",
        status: 409)
    case .begun(let removal):
      accounts.audit.note(
        "the account '\(account.email)' deletes itself, receipt \(removal.receipt.id), from "
          + visit.subscriber)
      await accounts.notify(account, .accountDeleted(accounts.serverName))
      let state = try await remover.advance(removal)
      visit.remove(.session)
      visit.remove(.form)
      visit.remove(.browser)
      let outcome: HTML =
        state.receipt.endedAt == nil
        ? "The server removes the rest of your data now. You need do nothing more."
        : "All your data is removed."
      return PageLayout.answer(
        "Account deleted",
        """
        <h1>Your account is deleted</h1>
        <p>\(outcome)</p>
        <p>The number of the receipt is <code>\(state.receipt.id)</code>.</p>
        """)
    }
  }
}
