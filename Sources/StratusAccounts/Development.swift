public import StratusDomain
import StratusWire

extension Accounts {
  /// What `stratus dev` gives a developer.
  public struct DeveloperTokens: Sendable {
    /// Good for every container.
    public let apiToken: String
    /// The developer's, good for every container.
    public let webAuthToken: String
  }

  /// Makes the developer's account and tokens, the same account and API token at every start.
  ///
  /// - Throws: what the registry throws.
  public func developerTokens(email: String) async throws(ServerError) -> DeveloperTokens {
    let kept = try await registry.secret(named: "developer API token", orKeep: randomness(32))
    let anywhere = StoreAddress(container: Self.anyContainer, environment: .development)
    if try await registry.apiToken(kept.hex) == nil {
      try await registry.create(APIToken(token: kept.hex, store: anywhere))
    }
    if try await registry.account(email: email) == nil {
      do throws(ServerError) { try await create(email: email) } catch {
        // Somebody else may have been as quick: then the account is there all the same.
        if try await registry.account(email: email) == nil { throw error }
      }
    }
    let token = try await openSession(of: try await account(email: email), with: anywhere)
    return DeveloperTokens(apiToken: kept.hex, webAuthToken: token)
  }
}
