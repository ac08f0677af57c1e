import StratusDomain
import StratusWire

/// Answers ``CreateAPIToken``.
struct CreateAPITokenHandler: ManagementHandler {
  typealias Endpoint = CreateAPIToken

  let accounts: Accounts

  func answer(_ request: CreateAPIToken.Request) async throws(ServerError) -> TokenResponse {
    try await accounts.requireContainer(request.containerID)
    var origins: Set<String>?
    for origin in request.allowedOrigins ?? [] {
      origins = (origins ?? []).union([try WebOrigin.checked(origin)])
    }
    let text = accounts.randomness(32).hex
    let token = APIToken(
      text: text,
      store: StoreAddress(container: request.containerID, environment: request.environment),
      name: String((request.name ?? "").prefix(Self.nameLengthMax)), allowedOrigins: origins,
      callback: try Self.callback(request.callbackURL), createdAt: accounts.ambient.now())
    try await accounts.registry.create(token)
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
    accounts.memory.forget()
    return EmptyRequest()
  }
}

/// The origin of a web page in the `Origin` header of a browser's request.
enum WebOrigin {
  /// - Returns: the origin in lower case, as browsers send it.
  /// - Throws: `BAD_REQUEST` unless the text is a scheme and a host, with or without a port.
  static func checked(_ text: String) throws(ServerError) -> String {
    let origin = text.lowercased()
    let host = origin.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
    guard host.count == 2, host[0] == "https:" || host[0] == "http:", !host[1].isEmpty,
      origin.utf8.count <= 300,
      host[1].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-.:[]".contains($0)) })
    else {
      throw .badRequest(
        "'\(text.prefix(64))' is not an origin; give one such as https://app.example.org")
    }
    return origin
  }
}
