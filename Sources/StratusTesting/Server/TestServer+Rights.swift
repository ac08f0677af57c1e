package import StratusAccounts
import StratusServer

extension TestServer {
  /// Deletes accounts.
  package var remover: AccountRemover { core.composition.remover }

  /// Completes the deletions of accounts, as the server does while it runs.
  package func finishRemovals() async throws { try await core.composition.finishRemovals() }
}
