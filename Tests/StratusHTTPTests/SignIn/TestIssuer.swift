import Crypto
import CryptoExtras
import Foundation
import StratusDomain
import StratusWire
import Synchronization
import Testing

@testable import StratusAccounts

/// An identity provider inside a test. Each property can be set to a wrong value.
final class TestIssuer: OutgoingRequests {
  struct Settings {
    var issuer = "https://id.example"
    /// The issuer that the provider's description (the discovery document) names.
    var describedIssuer: String?
    var tokenURL = "https://id.example/token"
    var namesIssuer = false
    var tokenMethods: [String]?
    var algorithm = "ES256"
    /// The IDs of the keys that the provider publishes.
    var keyIDs = ["first"]
    var headerKeyID: String? = "first"
    /// Changes the claims of a token.
    var change: @Sendable (inout [String: JSON]) -> Void = { _ in }
    /// Returns the complete text of a forged token for its encoded header and body.
    var forge: (@Sendable (_ head: String, _ body: String) -> String)?
    /// The scope that the server asks for.
    var scope = "openid email"
    var subject = "user-1"
    var email = "carol@example.org"
    var isEmailVerified: JSON = true
    var status = 200
  }

  private struct State {
    var settings = Settings()
    var requests: [OutgoingRequest] = []
    /// The nonce, the challenge and the redirect URL of each code.
    var codes: [String: (nonce: String, challenge: String, redirectURL: String)] = [:]
  }

  let now: @Sendable () -> Int64
  private let state = Mutex(State())
  private let key = P256.Signing.PrivateKey()
  private let otherKey = P256.Signing.PrivateKey()

  init(now: @escaping @Sendable () -> Int64) { self.now = now }

  var requests: [OutgoingRequest] { state.withLock { $0.requests } }

  func set(_ change: (inout Settings) -> Void) { state.withLock { change(&$0.settings) } }

  func reset() { state.withLock { $0.settings = Settings() } }

  /// Signs the user in, as the provider's page does.
  ///
  /// - Parameter url: the URL to which the server has sent the browser.
  /// - Returns: the path and the query of the server's URL to which the browser comes back.
  func authorize(_ url: String, _ changes: [String: String?] = [:]) throws -> String {
    let query = try #require(URLComponents(string: url)?.queryItems)
    let fields = Dictionary(uniqueKeysWithValues: query.map { ($0.name, $0.value ?? "") })
    #expect(fields["response_type"] == "code")
    #expect(fields["scope"] == state.withLock { $0.settings.scope })
    #expect(fields["code_challenge_method"] == "S256")
    let code = "code-" + (fields["nonce"] ?? "")
    let redirect = try #require(fields["redirect_uri"])
    state.withLock {
      $0.codes[code] = (fields["nonce"] ?? "", fields["code_challenge"] ?? "", redirect)
    }
    var answer: [String: String] = ["code": code, "state": fields["state"] ?? ""]
    for (name, value) in changes { answer[name] = value }
    let text = answer.map { "\($0.key)=\(Browser.encode($0.value))" }.joined(separator: "&")
    return String(redirect.dropFirst("http://localhost".count)) + "?" + text
  }

  func send(
    _ request: OutgoingRequest
  ) async throws(ServerError) -> (status: Int, body: [UInt8]) {
    let settings = state.withLock { state in
      state.requests.append(request)
      return state.settings
    }
    let body: JSON
    switch request.url {
    case "https://id.example/.well-known/openid-configuration": body = describe(settings)
    case "https://id.example/keys": body = keys(settings)
    case settings.tokenURL: body = token(request, settings)
    default: return (404, Array("{}".utf8))
    }
    let bytes = (try? body.bytes) ?? []
    return (body["error"].isNull ? settings.status : 400, bytes)
  }

  private func describe(_ settings: Settings) -> JSON {
    var body: JSON = [
      "issuer": "\(settings.describedIssuer ?? settings.issuer)",
      "authorization_endpoint": "https://id.example/authorize",
      "token_endpoint": "\(settings.tokenURL)", "jwks_uri": "https://id.example/keys",
      "authorization_response_iss_parameter_supported": .bool(settings.namesIssuer),
    ]
    if let methods = settings.tokenMethods {
      body = body.with(
        "token_endpoint_auth_methods_supported", .array(methods.map { .string($0) }))
    }
    return body
  }

  /// Returns the keys. Only the last one signs tokens.
  private func keys(_ settings: Settings) -> JSON {
    let raw = Array(key.publicKey.rawRepresentation)
    let other = Array(otherKey.publicKey.rawRepresentation)
    let keys = settings.keyIDs.enumerated().map { index, id -> JSON in
      let point = index == settings.keyIDs.count - 1 ? raw : other
      return [
        "kty": "EC", "crv": "P-256", "kid": "\(id)", "use": "sig", "alg": "ES256",
        "x": "\(Base64URL.encode(Array(point.prefix(32))))",
        "y": "\(Base64URL.encode(Array(point.suffix(32))))",
      ]
    }
    return ["keys": .array(keys)]
  }

  private func token(_ request: OutgoingRequest, _ settings: Settings) -> JSON {
    let form = request.form ?? [:]
    let known = state.withLock { $0.codes.removeValue(forKey: form["code"] ?? "") }
    let verifier = form["code_verifier"] ?? ""
    let challenge = Base64URL.encode(Digest.sha256(Array(verifier.utf8)))
    guard let known, known.challenge == challenge, known.redirectURL == form["redirect_uri"],
      form["grant_type"] == "authorization_code"
    else { return ["error": "invalid_grant"] }
    let seconds = now() / 1_000
    var claims: [String: JSON] = [
      "iss": .string(settings.issuer), "sub": .string(settings.subject), "aud": "client",
      "exp": .int(seconds + 300), "iat": .int(seconds), "nonce": .string(known.nonce),
      "email": .string(settings.email), "email_verified": settings.isEmailVerified,
    ]
    settings.change(&claims)
    var header: JSON = ["alg": .string(settings.algorithm), "typ": "JWT"]
    if let id = settings.headerKeyID { header = header.with("kid", .string(id)) }
    guard let head = try? header.bytes, let body = try? JSON.object(claims).bytes else {
      return ["error": "server_error"]
    }
    let (first, second) = (Base64URL.encode(head), Base64URL.encode(body))
    if let forge = settings.forge { return ["id_token": .string(forge(first, second))] }
    let message = Data("\(first).\(second)".utf8)
    guard let signature = try? key.signature(for: message).rawRepresentation else {
      return ["error": "server_error"]
    }
    return ["id_token": .string("\(first).\(second).\(Base64URL.encode(Array(signature)))")]
  }

  /// The public key as bytes, which a forger could use as the secret of HS256.
  var publicKeyBytes: [UInt8] { Array(key.publicKey.x963Representation) }
}
