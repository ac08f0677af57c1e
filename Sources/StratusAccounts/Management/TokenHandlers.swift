import StratusDomain
import StratusWire

/// Answers ``CreateAPIToken``.
struct CreateAPITokenHandler: ManagementHandler {
  typealias Endpoint = CreateAPIToken

  let accounts: Accounts

  func answer(_ request: CreateAPIToken.Request) async throws(ServerError) -> TokenResponse {
    try await accounts.requireContainer(request.containerID)
    var origins: Set<String>?
    let isProduction = request.environment == .production
    for text in request.allowedOrigins ?? [] {
      let origin = try WebOrigin.checked(text)
      if isProduction, WebOrigin.isClearText(origin) {
        throw .badRequest("in production, an origin begins with https://, unlike '\(origin)'")
      }
      origins = (origins ?? []).union([origin])
    }
    if isProduction, let url = request.callbackURL, WebOrigin.isClearText(url) {
      throw .badRequest("in production, the callback URL of a web page begins with https://")
    }
    let text = accounts.randomness(32).hex
    let token = APIToken(
      text: text,
      store: StoreAddress(container: request.containerID, environment: request.environment),
      name: String((request.name ?? "").prefix(Self.nameLengthMax)), allowedOrigins: origins,
      callback: try Self.callback(request.callbackURL), createdAt: accounts.ambient.now())
    try await accounts.registry.create(token)
    accounts.audit.noteChange("made the API token \(token.id) for \(token.store.inLog)")
    return TokenResponse(token: text, id: token.id)
  }

  private static func callback(_ url: String?) throws(ServerError) -> SignInCallback {
    guard let url else { return .postMessage }
    guard let colon = url.firstIndex(of: ":"), url.utf8.count <= urlLengthMax,
      url[..<colon].utf8.allSatisfy(isPartOfScheme),
      url[colon...].hasPrefix("://"), !url.contains(where: { $0.isWhitespace || $0 == "#" })
    else {
      throw .badRequest("a callback URL has a scheme, such as https://app.example.org/signed-in")
    }
    let scheme = url[..<colon].lowercased()
    if ["javascript", "data", "file", "blob", "vbscript"].contains(scheme) || scheme.isEmpty {
      throw .badRequest("a callback URL cannot have the scheme '\(scheme)'")
    }
    return .redirect(url: url)
  }

  private static func isPartOfScheme(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }

  private static let nameLengthMax = 200
  private static let urlLengthMax = 2_000
}

/// Answers ``ListAPITokens``.
struct ListAPITokensHandler: ManagementHandler {
  typealias Endpoint = ListAPITokens

  let accounts: Accounts

  func answer(
    _ request: ListAPITokens.Request
  ) async throws(ServerError) -> ListAPITokens.Response {
    let items = try await accounts.registry.apiTokens().map { token in
      let callbackURL: String? =
        switch token.callback {
        case .postMessage: nil
        case .redirect(let url): url
        }
      return ListAPITokens.Item(
        id: token.id, containerID: token.store.container,
        environment: token.store.environment.rawValue, name: token.name,
        allowedOrigins: token.allowedOrigins?.sorted(), callbackURL: callbackURL,
        createdAt: token.createdAt)
    }
    return ListAPITokens.Response(tokens: items)
  }
}

/// Answers ``RevokeAPIToken``.
struct RevokeAPITokenHandler: ManagementHandler {
  typealias Endpoint = RevokeAPIToken

  let accounts: Accounts

  func answer(_ request: TokenIDRequest) async throws(ServerError) -> EmptyRequest {
    guard try await accounts.registry.deleteAPIToken(id: request.id) else {
      throw ServerError(
        .notFound,
        "there is no API token '\(request.id.prefix(64))'; see 'stratus api-token list'")
    }
    try accounts.journal(.apiToken, of: request.id)
    accounts.memory.forget()
    accounts.audit.noteChange("revoked the API token \(request.id)")
    return EmptyRequest()
  }
}
