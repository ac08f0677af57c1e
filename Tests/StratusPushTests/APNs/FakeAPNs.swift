import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import StratusPush
import StratusWire
import Synchronization

/// A fake of Apple's push service: a server with TLS and HTTP/2.
final class FakeAPNs: Sendable {
  /// A received request.
  struct Received: Sendable {
    let method: String
    let path: String
    /// The headers of the request. Their names are in lower case.
    let headers: [String: String]
    let body: [UInt8]

    var token: String { String((headers["authorization"] ?? "").dropFirst("bearer ".count)) }
  }

  enum Reaction: Sendable {
    case answer(Int, reason: String? = nil, retryAfter: String? = nil)
    /// The server closes the connection without an answer.
    case hangUp
  }

  static let key = P256.Signing.PrivateKey()
  static let keyID = "KEY1234567"
  static let teamID = "TEAM123456"

  let certificate: SelfSignedCertificate
  private let channel: any Channel
  private let requests = Mutex<[Received]>([])

  var received: [Received] { requests.withLock(\.self) }
  var url: String { "https://localhost:\(channel.localAddress?.port ?? 0)" }

  /// - Parameter react: returns the reaction to a request. Its second argument is the number of the
  ///   request, counted from 0.
  static func running<Result: Sendable>(
    react: @escaping @Sendable (Received, Int) -> Reaction,
    _ body: @Sendable (FakeAPNs) async throws -> Result
  ) async throws -> Result {
    let certificate = try SelfSignedCertificate()
    let fake = Mutex<FakeAPNs?>(nil)
    let channel = try await listen(certificate) { received in
      guard let server = fake.withLock(\.self) else { return .hangUp }
      let number = server.requests.withLock { requests in
        requests.append(received)
        return requests.count - 1
      }
      return react(received, number)
    }
    let server = FakeAPNs(certificate: certificate, channel: channel)
    fake.withLock { $0 = server }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    fake.withLock { $0 = nil }
    try await channel.close()
    return try result.get()
  }

  private init(certificate: SelfSignedCertificate, channel: any Channel) {
    self.certificate = certificate
    self.channel = channel
  }

  private static func listen(
    _ certificate: SelfSignedCertificate, react: @escaping @Sendable (Received) -> Reaction
  ) async throws -> any Channel {
    let certificates = try NIOSSLCertificate.fromPEMBytes(Array(certificate.pem.utf8))
    var settings = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) },
      privateKey: .privateKey(
        try NIOSSLPrivateKey(bytes: Array(certificate.keyPEM.utf8), format: .pem)))
    settings.applicationProtocols = ["h2"]
    let context = try NIOSSLContext(configuration: settings)
    return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { connection in
        connection.eventLoop.makeCompletedFuture {
          let pipeline = connection.pipeline.syncOperations
          try pipeline.addHandler(NIOSSLServerHandler(context: context))
          _ = try pipeline.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
          ) { stream in
            stream.eventLoop.makeCompletedFuture {
              let pipeline = stream.pipeline.syncOperations
              try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
              try pipeline.addHandler(AnswerHandler(react: react))
            }
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// A signing key of a sender that this server accepts.
  static func senderKey() throws -> APNsKey {
    try APNsKey(pem: key.pemRepresentation, keyID: keyID, teamID: teamID)
  }

  /// The claims of a token, or nil if its signature or its key ID does not belong to the known key.
  static func claims(of token: String) -> APNsTokenClaims? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      let header = bytes(parts[0]).flatMap({ try? APNsTokenHeader(jsonBytes: $0) }),
      header.algorithm == "ES256", header.keyID == keyID,
      let claims = bytes(parts[1]).flatMap({ try? APNsTokenClaims(jsonBytes: $0) }),
      claims.teamID == teamID,
      let signature = bytes(parts[2]).flatMap({
        try? P256.Signing.ECDSASignature(rawRepresentation: $0)
      }),
      key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
    else { return nil }
    return claims
  }

  /// Decodes Base64 in the form of RFC 7515.
  private static func bytes(_ text: Substring) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - plain.count % 4) % 4)
    return Data(base64Encoded: plain + padding).map(Array.init)
  }
}

/// Collects the parts of one request and answers it.
private final class AnswerHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let react: @Sendable (FakeAPNs.Received) -> FakeAPNs.Reaction
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []

  init(react: @escaping @Sendable (FakeAPNs.Received) -> FakeAPNs.Reaction) {
    self.react = react
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body(let part): body += part.readableBytesView
    case .end:
      guard let head else { return }
      let headers = Dictionary(
        head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
      let received = FakeAPNs.Received(
        method: head.method.rawValue, path: head.uri, headers: headers, body: body)
      switch react(received) {
      case .hangUp: context.channel.parent?.close(promise: nil)
      case .answer(let status, let reason, let retryAfter):
        answer(status, reason: reason, retryAfter: retryAfter, context)
      }
    }
  }

  private func answer(
    _ status: Int, reason: String?, retryAfter: String?, _ context: ChannelHandlerContext
  ) {
    var head = HTTPResponseHead(version: .http2, status: .init(statusCode: status))
    if let retryAfter { head.headers.add(name: "retry-after", value: retryAfter) }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if let reason {
      let bytes = APNsRefusal(reason: reason).jsonBytes
      context.write(
        wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
