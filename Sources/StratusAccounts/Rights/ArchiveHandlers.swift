import StratusDomain
import StratusWire

/// Answers ``ExportAccount``.
struct ExportAccountHandler: ManagementHandler {
  typealias Endpoint = ExportAccount

  let accounts: Accounts
  let archives: AccountArchives

  func answer(_ request: ExportAccount.Request) async throws(ServerError) -> ExportAccount.Response
  {
    let account = try await accounts.account(email: request.email)
    var position: ExportPosition
    if let cursor = request.cursor {
      position = try archives.position(cursor, of: account)
    } else {
      try await accounts.recordArchive(ExportAccount.path, of: account)
      accounts.audit.noteChange("exports the data of the account '\(account.email)'")
      position = archives.begin(account)
    }
    let (bytes, isLast) = try await archives.piece(of: account, &position)
    return ExportAccount.Response(
      bytes: bytes, cursor: isLast ? nil : archives.cursor(of: position))
  }
}

/// Answers ``ImportAccount``.
struct ImportAccountHandler: ManagementHandler {
  typealias Endpoint = ImportAccount

  let accounts: Accounts
  let archives: AccountArchives

  func answer(_ request: ImportAccount.Request) async throws(ServerError) -> ImportAccount.Response
  {
    let account = try await accounts.account(email: request.email)
    if account.isDisabled || account.isRestricted {
      throw .badRequest(
        "the account '\(account.email)' is disabled, restricted or being deleted, so nothing is "
          + "imported into it")
    }
    let target = try await archives.target(request, account)
    let session: String
    if let known = request.session {
      guard archives.isImportSession(known, of: account) else {
        throw .badRequest("the import has expired; begin again")
      }
      session = known
    } else {
      try await accounts.recordArchive(ImportAccount.path, of: account)
      accounts.audit.noteChange("imports data into the account '\(account.email)'")
      session = archives.importSession(of: account)
    }
    var response = ImportAccount.Response(session: session)
    if let asset = request.asset { response.received = try await archives.write(asset, to: target) }
    let outcome = try await archives.write(request.lines, to: target)
    (response.counts, response.refusals) = (outcome.counts, outcome.refusals)
    return response
  }
}
