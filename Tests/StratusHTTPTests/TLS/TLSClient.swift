import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// A client that speaks TLS with a server on this machine.
struct TLSClient: Sendable {
  let port: UInt16
  /// The file of the certificate that the client trusts.
  let trusted: String
  var maximumVersion: TLSVersion?
  var protocols: [String] = []
  /// The suites for TLS 1.2; nil: the usual ones.
  var cipherSuites: String?

  /// The text from the server, and the protocol on which client and server agreed.
  struct Answer: Sendable {
    var text = ""
    var applicationProtocol: String?
  }

  /// Sends a text and reads until the server closes the connection.
  ///
  /// - Throws: if the handshake fails.
  func exchange(_ text: String) async throws -> Answer {
    let connection = try await open()
    try await connection.channel.writeAndFlush(ByteBuffer(string: text))
    return try await connection.answer.get()
  }

  /// The text that has arrived so far.
  final class Received: Sendable {
    private let text = Mutex("")

    func append(_ more: String) { text.withLock { $0 += more } }

    /// Returns when the received text contains this part.
    func wait(for part: String) async {
      while !text.withLock({ $0.contains(part) }) { await LiveWire.turn() }
    }
  }

  /// An open connection.
  struct Connection: Sendable {
    let channel: any Channel
    let received: Received
    /// Succeeds when the server closes the connection.
    let answer: EventLoopFuture<Answer>
  }

  /// Opens a connection; returns after the handshake.
  func open() async throws -> Connection {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(trusted))
    configuration.minimumTLSVersion = .tlsv1
    configuration.maximumTLSVersion = maximumVersion
    configuration.applicationProtocols = protocols
    if let cipherSuites { configuration.cipherSuites = cipherSuites }
    let context = try NIOSSLContext(configuration: configuration)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: Answer.self)
    let ready = loop.makePromise(of: Void.self)
    let received = Received()
    let channel = try await ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers(
          NIOSSLClientHandler(context: context, serverHostname: "localhost"),
          Reader(ready: ready, answer: answer, received: received))
      }
    }.connect(host: "127.0.0.1", port: Int(port)).get()
    try await ready.futureResult.get()
    return Connection(channel: channel, received: received, answer: answer.futureResult)
  }

  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let ready: EventLoopPromise<Void>
    private let whole: EventLoopPromise<Answer>
    private let received: Received
    private var answer = Answer()

    init(ready: EventLoopPromise<Void>, answer: EventLoopPromise<Answer>, received: Received) {
      self.ready = ready
      self.received = received
      whole = answer
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard let event = event as? TLSUserEvent, case .handshakeCompleted(let agreed) = event else {
        return
      }
      answer.applicationProtocol = agreed
      ready.succeed()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let text = String(buffer: unwrapInboundIn(data))
      answer.text += text
      received.append(text)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      ready.fail(error)
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      ready.fail(ChannelError.eof)
      whole.succeed(answer)
    }
  }
}
