import StratusDomain
import StratusWire

/// Answers ``CreateAPIToken``.
struct CreateAPITokenHandler: ManagementHandler {
  typealias Endpoint = CreateAPIToken

  let accounts: Accounts

  func answer(_ request: CreateAPIToken.Request) async throws(ServerError) -> TokenResponse {
    try await accounts.requireContainer(request.containerID)
    let store = StoreAddress(container: request.containerID, environment: request.environment)
    let token = APIToken(token: accounts.randomness(32).hex, store: store)
    try await accounts.registry.create(token)
    return TokenResponse(token: token.token)
  }
}

/// Answers ``CreateWebToken``.
struct CreateWebTokenHandler: ManagementHandler {
  typealias Endpoint = CreateWebToken

  let accounts: Accounts

  func answer(_ request: CreateWebToken.Request) async throws(ServerError) -> TokenResponse {
    try await accounts.requireContainer(request.containerID)
    let account = try await accounts.account(email: request.email)
    if account.isDisabled { throw .badRequest("the account is disabled") }
    let store = StoreAddress(container: request.containerID, environment: request.environment)
    return TokenResponse(token: try await accounts.openSession(of: account, with: store))
  }
}
