import Crypto
import Foundation
public import StratusWire
import Synchronization

/// The connection to one container on a server. It sends requests and decodes the responses.
public final class Connection: Sendable {
  /// The server's URL, the container, the environment, and the device that sends the requests.
  public struct Address: Sendable, Hashable {
    /// The server's URL without a trailing slash.
    public var url: String
    public var container: String
    public var environment: ContainerEnvironment
    /// The ID by which the server knows this device. The server does not notify a device of its own
    /// changes.
    public var deviceID: String

    public init(
      url: String, container: String, environment: ContainerEnvironment, deviceID: String
    ) {
      self.url = url
      self.container = container
      self.environment = environment
      self.deviceID = deviceID
    }
  }

  /// The settings of one request.
  public struct Options: Sendable {
    /// An attempt fails after this number of seconds without a received byte.
    public var requestTimeoutSeconds: Double
    /// The maximum number of seconds for the request with all retries. nil means no limit.
    public var resourceTimeoutSeconds: Double?
    public var patience: Patience
    public var headers: [String: String]
    /// The ``Connection/generation`` in which the request began. nil means the generation in which
    /// the request is first sent. If the connection's generation differs when the request is sent,
    /// the request fails, so that it is never sent in the name of another user.
    public var generation: Int?

    public init(
      requestTimeoutSeconds: Double = 60, resourceTimeoutSeconds: Double? = nil,
      patience: Patience = .short, headers: [String: String] = [:], generation: Int? = nil
    ) {
      self.requestTimeoutSeconds = requestTimeoutSeconds
      self.resourceTimeoutSeconds = resourceTimeoutSeconds
      self.patience = patience
      self.headers = headers
      self.generation = generation
    }
  }

  /// The tokens that identify the caller.
  private struct Identity {
    var apiToken: String?
    var webAuthToken: String?
    /// The digest of the session's first token. The server may have replaced that token since.
    var firstDigest: String?
    var generation = 0

    mutating func signIn(_ token: String?, _ signIn: String?) {
      webAuthToken = token
      firstDigest = token.map { signIn ?? Connection.digest(of: $0) }
    }
  }

  public let address: Address
  private let deviceID: Mutex<String>
  private let identity: Mutex<Identity>
  /// The callback that receives each newer token and the digest of its sign-in.
  private let keeper = Mutex<(@Sendable (_ token: String, _ signIn: String) -> Void)?>(nil)
  let exchange: any HTTPExchange
  package let timing: Timing
  /// The maximum number of bytes of a file in one request.
  let pieceBytesMax: Int

  /// The default value for the maximum number of bytes of a file in one request. Choice: at this
  /// size, the overhead of a request is small. Larger pieces would need more memory.
  public static let defaultPieceBytesMax = 2_097_152

  /// - Parameter signIn: the ``accountDigest`` of the sign-in if the token was renewed since then.
  ///   nil means that the token comes directly from a new sign-in.
  public init(
    to address: Address, apiToken: String?, webAuthToken: String?,
    exchange: any HTTPExchange, timing: Timing,
    pieceBytesMax: Int = Connection.defaultPieceBytesMax, signIn: String? = nil
  ) {
    self.pieceBytesMax = max(1, pieceBytesMax)
    self.address = address
    deviceID = Mutex(address.deviceID)
    var identity = Identity(apiToken: apiToken)
    identity.signIn(webAuthToken, signIn)
    self.identity = Mutex(identity)
    self.exchange = exchange
    self.timing = timing
  }

  /// The number of seconds on the clock that measures delays.
  public var now: Double { timing.now() }

  /// Whether requests are sent in a user's name.
  public var hasUser: Bool { identity.withLock { $0.webAuthToken != nil } }

  /// The number of calls of ``signIn(apiToken:webAuthToken:signIn:)``. A response to a request of
  /// another generation may belong to another account.
  public var generation: Int { identity.withLock { $0.generation } }

  /// From now on, sends requests with these tokens.
  ///
  /// - Parameters:
  ///   - apiToken: the API token. nil keeps the present token.
  ///   - webAuthToken: the token of the user. nil means that no user is signed in.
  ///   - signIn: the ``accountDigest`` of the sign-in if the token was renewed since then. nil
  ///     means that the token comes directly from a new sign-in.
  public func signIn(apiToken: String? = nil, webAuthToken: String?, signIn: String? = nil) {
    identity.withLock { identity in
      identity.apiToken = apiToken ?? identity.apiToken
      identity.signIn(webAuthToken, signIn)
      identity.generation += 1
    }
  }

  /// From now on, sends requests with another token of the same sign-in.
  ///
  /// - Parameters:
  ///   - apiToken: the API token that belongs to the web-auth token.
  ///   - signIn: the same as in ``signIn(apiToken:webAuthToken:signIn:)``.
  /// - Returns: false if no user is signed in, if the API token differs from the connection's, or
  ///   if the web-auth token belongs to another sign-in. In that case nothing changes.
  public func renew(apiToken: String?, webAuthToken: String?, signIn: String?) -> Bool {
    identity.withLock { identity in
      guard let webAuthToken, identity.webAuthToken != nil, apiToken == identity.apiToken,
        identity.firstDigest == signIn ?? Self.digest(of: webAuthToken)
          || identity.webAuthToken == webAuthToken
      else { return false }
      identity.webAuthToken = webAuthToken
      return true
    }
  }

  /// Registers a callback for each newer token of the user, so that the token can be saved.
  ///
  /// - Parameter keeper: called with the token and the ``accountDigest`` of its sign-in.
  public func keepTokens(
    _ keeper: @escaping @Sendable (_ token: String, _ signIn: String) -> Void
  ) {
    self.keeper.withLock { $0 = keeper }
  }

  /// Returns a digest that identifies a token without revealing it.
  static func digest(of token: String) -> String {
    Data(SHA256.hash(data: Data(token.utf8)).prefix(16)).base64EncodedString()
  }

  /// A digest of the sign-in's first token. The digest does not reveal the token. It is nil if no
  /// user is signed in.
  public var accountDigest: String? { identity.withLock { $0.firstDigest } }

  /// Replaces the device ID of the ``address`` in the requests that are sent from now on.
  public func identify(as deviceID: String) { self.deviceID.withLock { $0 = deviceID } }

  /// Sends a request, and retries it after temporary failures.
  ///
  /// Every attempt is made in the name of the account of the first attempt.
  /// - Parameter isIdempotent: whether carrying out the request twice has the same effect as once.
  /// - Throws: the ``TransportFailure`` of the last attempt. It is `accountChanged` if another user
  ///   has signed in since the request began.
  public func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, to database: DatabaseScope,
    isIdempotent: Bool, options: Options = Options()
  ) async throws(TransportFailure) -> E.Response {
    let policy = RetryPolicy(patience: options.patience, isIdempotent: isIdempotent)
    let body = request.jsonBytes
    let start = timing.now()
    var options = options
    options.generation = options.generation ?? generation
    var attempt = 1
    while true {
      let remaining = options.resourceTimeoutSeconds.map { $0 - (timing.now() - start) }
      do {
        return try await sendOnce(
          endpoint, body: body, to: database, remaining: remaining, options: options)
      } catch {
        let left = options.resourceTimeoutSeconds.map { $0 - (timing.now() - start) }
        let delay = policy.delay(
          after: error, attempt: attempt, remaining: left, chance: timing.chance())
        guard let delay else { throw error }
        do { try await timing.sleep(delay) } catch { throw .network(.cancelled) }
        attempt += 1
      }
    }
  }

  private func sendOnce<E: Endpoint>(
    _ endpoint: E.Type, body: [UInt8], to database: DatabaseScope, remaining: Double?,
    options: Options
  ) async throws(TransportFailure) -> E.Response {
    if Task.isCancelled { throw .network(.cancelled) }
    let identity = identity.withLock { $0 }
    if let generation = options.generation, generation != identity.generation {
      throw .accountChanged
    }
    guard let url = url(of: endpoint, in: database, as: identity) else {
      throw .network(.notConnected)
    }
    var headers = options.headers
    headers["Content-Type"] = "application/json; charset=utf-8"
    headers["User-Agent"] = AppName.userAgent
    let timeout = min(options.requestTimeoutSeconds, max(remaining ?? .infinity, 0.001))
    let request = HTTPRequest(
      url: url, headers: headers, body: body, timeoutSeconds: timeout, totalSeconds: remaining)
    let response: HTTPResponse
    do { response = try await exchange.send(request) } catch { throw .network(error) }
    keepToken(in: response.headers, of: identity.generation)
    return try Self.read(endpoint, response)
  }

  /// Stores the new token that the server sends with a response. Older tokens of the session stay
  /// valid, so the order in which responses arrive does not matter.
  ///
  /// - Parameter generation: the generation of the request. A response for another account is
  ///   ignored.
  func keepToken(in headers: [String: String], of generation: Int) {
    guard let token = headers["x-apple-cloudkit-web-auth-token"], !token.isEmpty
    else { return }
    let signIn = identity.withLock { identity -> String? in
      guard identity.generation == generation, let old = identity.webAuthToken else { return nil }
      identity.webAuthToken = token
      return old == token ? nil : identity.firstDigest
    }
    if let signIn { keeper.withLock { $0 }?(token, signIn) }
  }

  private static func read<E: Endpoint>(
    _ endpoint: E.Type, _ response: HTTPResponse
  ) throws(TransportFailure) -> E.Response {
    if response.isTooLarge { throw .tooLarge(response) }
    guard (200..<300).contains(response.status) else { throw failure(of: response) }
    return try parse(E.Response.self, response)
  }

  static func parse<Answer: JSONReadable>(
    _ answer: Answer.Type, _ response: HTTPResponse
  ) throws(TransportFailure) -> Answer {
    do {
      return try Answer(jsonBytes: response.body)
    } catch {
      throw .unreadable(
        status: response.status, reason: error.reason,
        retryAfterSeconds: response.retryAfterSeconds)
    }
  }

  /// Returns the failure that an unsuccessful response describes.
  static func failure(of response: HTTPResponse) -> TransportFailure {
    if (300..<400).contains(response.status) {
      return .unreadable(
        status: response.status, reason: Redirect.reason(headers: response.headers),
        retryAfterSeconds: nil)
    }
    do {
      let error = try ErrorDictionary(jsonBytes: response.body)
      return .refused(
        error, status: response.status,
        retryAfterSeconds: error.retryAfterSeconds.map(Double.init)
          ?? response.retryAfterSeconds)
    } catch {
      return .unreadable(
        status: response.status, reason: "the answer is not a CloudKit error",
        retryAfterSeconds: response.retryAfterSeconds)
    }
  }

  private func url<E: Endpoint>(
    of endpoint: E.Type, in database: DatabaseScope, as identity: Identity
  ) -> URL? {
    var text = address.url + "/database/1/" + Self.escaped(address.container)
    text += "/\(address.environment.rawValue)/\(database.rawValue)/\(E.path)"
    return URL(string: text + query(as: identity))
  }

  /// The URL of the user's notification stream in this container, and the generation of the tokens
  /// in the URL.
  var streamAddress: (url: URL, generation: Int)? {
    let identity = identity.withLock { $0 }
    var text = address.url + "/device/1/" + Self.escaped(address.container)
    text += "/\(address.environment.rawValue)/\(StreamNotifications.path)"
    return URL(string: text + query(as: identity)).map { ($0, identity.generation) }
  }

  /// Returns the query string that identifies the caller.
  private func query(as identity: Identity) -> String {
    var text = "?clientId=" + Self.escaped(deviceID.withLock { $0 })
    if let apiToken = identity.apiToken { text += "&ckAPIToken=" + Self.escaped(apiToken) }
    if let token = identity.webAuthToken {
      text += "&ckWebAuthToken=" + Self.escaped(token)
    }
    return text
  }

  static func escaped(_ text: String) -> String {
    // Most texts contain nothing to escape, and Foundation finds that out slowly.
    if text.utf8.allSatisfy(isUnreserved) { return text }
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    case _: false
    }
  }

  /// The unreserved characters of RFC 3986.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension HTTPResponse {
  /// The number of seconds to wait before a retry, at most a day. It is nil if the header is
  /// missing or invalid.
  var retryAfterSeconds: Double? {
    guard let seconds = headers["retry-after"].flatMap(Double.init), seconds >= 0,
      seconds.isFinite
    else { return nil }
    return min(seconds, Limits.retryAfterSecondsMax)
  }
}

extension TransportFailure {
  /// Returns the failure of a response that has more bytes than the limit.
  static func tooLarge(_ response: HTTPResponse) -> TransportFailure {
    .unreadable(
      status: response.status, reason: "the answer is larger than the limit",
      retryAfterSeconds: nil)
  }
}
