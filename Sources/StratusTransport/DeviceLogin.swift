import Foundation
public import StratusWire

/// Signs a user in from a program without a browser, and signs the user out (RFC 8628, RFC 7009).
public struct DeviceLogin: Sendable {
  /// The reason why a sign-in or a sign-out failed.
  public enum Failure: Error, Sendable, Hashable {
    case network(NetworkFailure)
    /// The server refuses the request.
    case refused(DeviceSignIn.Refusal)
    /// The answer is not that of a Stratus server.
    case unreadable(status: Int)
    /// The text is not the URL of a server.
    case invalidURL
  }

  private static let requestSeconds = 30.0
  /// The maximum number of bytes of an answer. All answers of the server are shorter.
  private static let answerBytesMax = 65_536
  /// The maximum time between two requests for the token. A server cannot make the program wait
  /// longer.
  private static let intervalSecondsMax: Int64 = 120

  private let url: String
  private let apiToken: String
  private let exchange: any HTTPExchange
  private let timing: Timing

  /// - Parameters:
  ///   - url: the server's URL, without a trailing slash.
  ///   - apiToken: the API token of the app for which the user signs in.
  public init(url: String, apiToken: String, exchange: any HTTPExchange, timing: Timing) {
    self.url = url
    self.apiToken = apiToken
    self.exchange = exchange
    self.timing = timing
  }

  /// Begins a sign-in.
  ///
  /// - Parameter machine: the name of this machine, which the user sees.
  public func begin(
    machine: String
  ) async throws(Failure) -> DeviceSignIn.Authorization {
    try await send(DeviceSignIn.authorizationPath, [(DeviceSignIn.Field.machine, machine)])
  }

  /// Waits until the user has approved the sign-in. Gives up when the codes have expired.
  public func token(
    for authorization: DeviceSignIn.Authorization
  ) async throws(Failure) -> DeviceSignIn.Token {
    let end = timing.now() + Double(min(max(authorization.expiresInSeconds, 0), 86_400))
    var interval = min(max(authorization.intervalSeconds, 1), Self.intervalSecondsMax)
    while true {
      do { try await timing.sleep(Double(interval)) } catch { throw .network(.cancelled) }
      if timing.now() > end { throw .refused(DeviceSignIn.Refusal(.expiredToken)) }
      do throws(Failure) {
        return try await send(
          DeviceSignIn.tokenPath,
          [
            (DeviceSignIn.Field.grantType, DeviceSignIn.grantType),
            (DeviceSignIn.Field.deviceCode, authorization.deviceCode),
          ])
      } catch .refused(let refusal) where refusal.code == .authorizationPending {
        continue
      } catch .refused(let refusal) where refusal.code == .slowDown {
        interval = min(interval + 5, Self.intervalSecondsMax)
      } catch .network(let failure) where failure != .cancelled {
        // RFC 8628 §3.5: after a time-out, the program waits longer.
        interval = min(interval * 2, Self.intervalSecondsMax)
      }
    }
  }

  /// Ends the session of a web auth token.
  public func revoke(webAuthToken: String) async throws(Failure) {
    let _: EmptyRequest = try await send(
      DeviceSignIn.revocationPath, [(DeviceSignIn.Field.token, webAuthToken)])
  }

  private func send<Answer: JSONReadable>(
    _ path: String, _ fields: [(name: String, value: String)]
  ) async throws(Failure) -> Answer {
    guard let target = URL(string: url + path) else { throw .invalidURL }
    let form = ([(name: DeviceSignIn.Field.apiToken, value: apiToken)] + fields)
      .map { "\($0.name)=\(Self.encode($0.value))" }.joined(separator: "&")
    let request = HTTPRequest(
      url: target,
      headers: [
        "Content-Type": "application/x-www-form-urlencoded", "User-Agent": AppName.userAgent,
      ],
      body: Array(form.utf8), timeoutSeconds: Self.requestSeconds,
      totalSeconds: Self.requestSeconds, answerBytesMax: Self.answerBytesMax)
    let answer: HTTPResponse
    do { answer = try await exchange.send(request) } catch { throw .network(error) }
    if answer.status == 200, let value = try? Answer(jsonBytes: answer.body) { return value }
    guard answer.status >= 400, answer.status < 500,
      let refusal = try? DeviceSignIn.Refusal(jsonBytes: answer.body)
    else { throw .unreadable(status: answer.status) }
    throw .refused(refusal)
  }

  /// Percent-encodes everything except letters and digits.
  private static func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: letters) ?? ""
  }

  private static let letters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
}
