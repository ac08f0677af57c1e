import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import StratusWire

/// Sends notifications to Apple's push service.
public protocol APNsSender: Sendable {
  /// Sends one notification, and returns the result.
  func send(_ message: APNsMessage) async -> APNsOutcome
}

/// Sends notifications to Apple's push service over HTTP/2. Each request contains a token that
/// identifies the sender.
public struct APNsClient: APNsSender {
  /// The time after which a request without an answer fails.
  private static let timeout = TimeAmount.seconds(30)

  private let client: HTTPClient
  private let hosts: APNsHosts
  private let topic: String
  private let token: ProviderToken

  /// - Parameters:
  ///   - topic: the app's bundle ID.
  ///   - trustedCertificatePEM: the only trusted certificate, for tests, or nil to trust the
  ///     system's certificates.
  ///   - now: returns milliseconds since 1970 UTC.
  /// - Throws: an error if the certificate cannot be read.
  public init(
    key: APNsKey, topic: String, hosts: APNsHosts = APNsHosts(),
    trustedCertificatePEM: String? = nil, now: @escaping @Sendable () -> Int64
  ) throws {
    var security = TLSConfiguration.makeClientConfiguration()
    if let trustedCertificatePEM {
      security.trustRoots = .certificates(
        try NIOSSLCertificate.fromPEMBytes(Array(trustedCertificatePEM.utf8)))
    }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: security, redirectConfiguration: .disallow,
      timeout: HTTPClient.Configuration.Timeout(connect: .seconds(10), read: Self.timeout))
    // NB: the HTTP client must not retry, because the channel waits longer between two attempts.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(configuration: configuration)
    token = ProviderToken(key: key, now: now)
    self.hosts = hosts
    self.topic = topic
  }

  /// Sends one notification. If Apple refuses it only because the sender's token is too old, this
  /// method renews the token and repeats the request once.
  public func send(_ message: APNsMessage) async -> APNsOutcome {
    guard message.hasPlausibleToken else { return .deviceGone }
    do throws(APNsKeyFailure) {
      let first = try token.current()
      let outcome = await attempt(message, token: first)
      guard outcome == .senderRefused(reason: "ExpiredProviderToken"),
        let second = try token.renewed(after: first)
      else { return outcome }
      return await attempt(message, token: second)
    } catch {
      return .senderRefused(reason: error.description)
    }
  }

  private func attempt(_ message: APNsMessage, token: String) async -> APNsOutcome {
    let base = hosts.base(of: message.environment)
    var request = HTTPClientRequest(url: "\(base)/3/device/\(message.deviceToken)")
    request.method = .POST
    request.headers.add(name: "authorization", value: "bearer \(token)")
    request.headers.add(name: "apns-topic", value: topic)
    for (name, value) in message.headers { request.headers.add(name: name, value: value) }
    request.body = .bytes(ByteBuffer(bytes: message.payload.jsonBytes))
    do {
      let response = try await client.execute(request, timeout: Self.timeout)
      // NB: the body must be read even if it contains nothing useful. Otherwise the HTTP client
      // would abort the request.
      let body = try? await response.body.collect(upTo: 4_096)
      let refusal = body.flatMap { try? APNsRefusal(jsonBytes: Array($0.readableBytesView)) }
      return APNsOutcome(
        status: Int(response.status.code), refusal: refusal,
        retryAfterSeconds: response.headers.first(name: "retry-after").flatMap { Int($0) })
    } catch {
      return .serviceDown(afterSeconds: nil, reason: "the connection failed: \(error)")
    }
  }

  /// Closes the connections. This method must be called once, when no request is in progress.
  public func close() async { try? await client.shutdown() }
}
