import StratusDomain
import StratusWire

/// Answers ``DeleteAccount``.
struct DeleteAccountHandler: ManagementHandler {
  typealias Endpoint = DeleteAccount

  let accounts: Accounts
  let remover: AccountRemover

  func answer(_ request: DeleteAccount.Request) async throws(ServerError) -> RemovalReceipt {
    let account = try await accounts.account(email: request.email)
    switch try await remover.begin(account.id, request.publicRecords, by: AuditActor.current) {
    case .noAccount:
      throw ServerError(
        .notFound, "there is no account '\(account.email)'; see 'stratus account list'")
    case .lastOwner: throw Accounts.lastOwner
    case .begun(let removal):
      accounts.audit.noteChange(
        "deletes the account '\(account.email)', receipt \(removal.receipt.id)")
      return try await remover.advance(removal).receipt
    }
  }
}

/// Answers ``ListReceipts``.
struct ListReceiptsHandler: ManagementHandler {
  typealias Endpoint = ListReceipts

  /// The maximum number of receipts in an answer. Choice: a receipt has less than 1 kB.
  private static let countMax = 1_000

  let accounts: Accounts

  func answer(_ request: ListReceipts.Request) async throws(ServerError) -> ListReceipts.Response {
    guard let id = request.id else {
      return ListReceipts.Response(
        receipts: try await accounts.registry.removals(limit: Self.countMax).map(\.receipt))
    }
    guard let removal = try await accounts.registry.removal(id: id) else {
      throw ServerError(
        .notFound, "there is no receipt '\(id.prefix(64))'; see 'stratus account receipts'")
    }
    return ListReceipts.Response(receipts: [removal.receipt])
  }
}
