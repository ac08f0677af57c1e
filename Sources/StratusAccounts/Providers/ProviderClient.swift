public import StratusDomain
import StratusWire
import Synchronization

/// Talks to the configured identity providers, and remembers their descriptions and keys.
public final class ProviderClient: Sendable {
  /// The reason why a provider cannot be used, for the log.
  struct Fault: Error, Sendable, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  private struct Known {
    var description: ProviderDescription
    var describedAt: Int64
    var keys: [WebKey] = []
    var keysAt: Int64 = .min
  }

  /// How long a description and keys are used without a new request.
  private static let freshMilliseconds: Int64 = 3_600_000
  /// The minimum time between two requests for the keys after a token has named an unknown key.
  private static let keysPauseMilliseconds: Int64 = 60_000
  /// The maximum number of requests to providers that are in progress at one time. Without this
  /// limit, visitors could cause many requests.
  private static let requestsMax = 8
  private static let keysMax = 100

  let providers: [IdentityProvider]
  private let requests: any OutgoingRequests
  private let known = Mutex<[String: Known]>([:])
  private let running = Mutex(0)

  public init(_ providers: [IdentityProvider], requests: any OutgoingRequests) {
    self.providers = providers
    self.requests = requests
  }

  func provider(id: String) -> IdentityProvider? { providers.first { $0.id == id } }

  /// Returns the description of a provider.
  func description(
    of provider: IdentityProvider, now: Int64
  ) async throws(Fault) -> ProviderDescription {
    let stored = known.withLock { $0[provider.id] }
    if let stored, now - stored.describedAt < Self.freshMilliseconds, now >= stored.describedAt {
      return stored.description
    }
    var issuer = provider.issuer
    if issuer.hasSuffix("/") { issuer.removeLast() }
    let description: ProviderDescription = try await get(
      issuer + "/.well-known/openid-configuration")
    // NB: without this check, a wrong description would make the server trust another issuer.
    guard description.issuer == provider.issuer else {
      throw Fault("its description names another issuer")
    }
    for url in [description.authorizationURL, description.tokenURL, description.keysURL] {
      guard IdentityProvider.isPermitted(url) else {
        throw Fault("its description has a URL that does not use HTTPS")
      }
    }
    known.withLock { known in
      let keys = known[provider.id]
      known[provider.id] = Known(
        description: description, describedAt: now,
        keys: keys?.description.keysURL == description.keysURL ? keys?.keys ?? [] : [],
        keysAt: keys?.keysAt ?? .min)
    }
    return description
  }

  /// Finds the key that has signed a token. If the token names an unknown key, fetches the keys
  /// again, but at most once a minute.
  ///
  /// - Throws: ``Fault``, which may have the text of an ``IDTokenCheck/Fault``.
  func key(
    of token: IDTokenCheck.SignedToken, at provider: IdentityProvider, now: Int64
  ) async throws(Fault) -> PublicKey {
    let description = try await description(of: provider, now: now)
    let stored = known.withLock { $0[provider.id] }
    let age = stored.map { $0.keysAt == .min ? Int64.max : now - $0.keysAt } ?? .max
    var fault = IDTokenCheck.Fault.unknownKey
    if let stored, age < Self.freshMilliseconds {
      do throws(IDTokenCheck.Fault) {
        return try IDTokenCheck.key(of: token, in: stored.keys, provider.algorithm)
      } catch { fault = error }
      if fault != .unknownKey || age < Self.keysPauseMilliseconds { throw Fault(fault.rawValue) }
    }
    let set: WebKeySet = try await get(description.keysURL)
    let keys = Array(set.keys.prefix(Self.keysMax))
    known.withLock { known in
      known[provider.id]?.keys = keys
      known[provider.id]?.keysAt = now
    }
    do throws(IDTokenCheck.Fault) {
      return try IDTokenCheck.key(of: token, in: keys, provider.algorithm)
    } catch { throw Fault(error.rawValue) }
  }

  /// Exchanges the code of a sign-in for an ID token.
  func exchange(
    code: String, verifier: String, redirectURL: String, at provider: IdentityProvider, now: Int64
  ) async throws(Fault) -> String {
    let description = try await description(of: provider, now: now)
    var form = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURL,
      "code_verifier": verifier, "client_id": provider.clientID,
    ]
    var request = OutgoingRequest(url: description.tokenURL)
    if let secret = provider.clientSecret {
      // OpenID Connect Discovery §3: the default is `client_secret_basic`.
      let methods = description.tokenMethods ?? ["client_secret_basic"]
      if methods.contains("client_secret_basic") || !methods.contains("client_secret_post") {
        // RFC 6749 §2.3.1: the client ID and the secret are form-encoded.
        request.credentials = OutgoingRequest.Credentials(
          user: AccountPages.encode(provider.clientID), password: AccountPages.encode(secret))
      } else {
        form["client_secret"] = secret
      }
    }
    request.form = form
    let answer: CodeAnswer = try await send(request)
    return answer.idToken
  }

  private func get<Answer: JSONReadable>(_ url: String) async throws(Fault) -> Answer {
    try await send(OutgoingRequest(url: url))
  }

  private func send<Answer: JSONReadable>(
    _ request: OutgoingRequest
  ) async throws(Fault) -> Answer {
    guard IdentityProvider.isPermitted(request.url) else {
      throw Fault("a URL of the provider does not use HTTPS")
    }
    let isAdmitted = running.withLock { running in
      guard running < Self.requestsMax else { return false }
      running += 1
      return true
    }
    guard isAdmitted else { throw Fault("too many requests to providers are in progress") }
    defer { running.withLock { $0 -= 1 } }
    let answer: (status: Int, body: [UInt8])
    do throws(ServerError) { answer = try await requests.send(request) } catch {
      throw Fault("the provider does not answer: \(error.reason)")
    }
    guard answer.status == 200 else {
      throw Fault("the provider answered with status \(answer.status)")
    }
    do { return try Answer(jsonBytes: answer.body) } catch {
      throw Fault("the provider's answer cannot be read")
    }
  }
}
