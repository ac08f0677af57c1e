public import StratusDomain
import StratusWire

extension Accounts {
  /// The tokens that `stratus dev` prints for a developer.
  public struct DeveloperTokens: Sendable {
    /// The API token, which is valid for every container.
    public let apiToken: String
    /// The web auth token of the developer's account, which is valid for every container.
    public let webAuthToken: String
  }

  /// Creates the developer's account and tokens. Every start of the server uses the same account
  /// and API token.
  ///
  /// - Throws: an error of the registry.
  public func developerTokens(email: String) async throws(ServerError) -> DeveloperTokens {
    let text = try developerKey().hex
    let anywhere = StoreAddress(container: Self.anyContainer, environment: .development)
    let token = APIToken(
      text: text, store: anywhere, name: "stratus dev", createdAt: ambient.now())
    if try await registry.apiToken(hash: token.hash) == nil {
      try await registry.create(token)
    }
    if try await registry.account(email: email) == nil {
      do throws(ServerError) { try await create(email: email) } catch {
        // Another process may have created the same account at the same time.
        if try await registry.account(email: email) == nil { throw error }
      }
    }
    let webAuthToken = try await openSession(
      of: try await account(email: email), with: anywhere)
    return DeveloperTokens(apiToken: text, webAuthToken: webAuthToken)
  }
}
