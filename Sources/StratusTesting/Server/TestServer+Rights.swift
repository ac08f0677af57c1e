package import StratusAccounts
package import StratusDomain
import StratusServer

extension TestServer {
  /// Assigns custom roles to users.
  package var roles: UserRoles { core.composition.roles }

  /// Begins deletions of accounts. ``finishRemovals()`` completes them.
  package var remover: AccountRemover { core.composition.remover }

  /// Completes the deletions of accounts, as the server does while it runs.
  package func finishRemovals() async throws { try await core.composition.finishRemovals() }
}
