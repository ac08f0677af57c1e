import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A submission server that answers commands as a script says.
final class ScriptedServer: Sendable {
  private let received = Mutex<[String]>([])
  private let channel = Mutex<(any Channel)?>(nil)

  var port: Int { channel.withLock { $0?.localAddress?.port ?? 0 } }
  var lines: [String] { received.withLock { $0 } }

  /// - Parameters:
  ///   - greeting: the text that the server sends first.
  ///   - encryption: the server's certificate, for `STARTTLS` or for connections that begin with
  ///     TLS, or nil if the server has none.
  ///   - isEncrypted: whether connections begin with TLS.
  ///   - answer: returns the reply to a command, or to the line `.` at the end of a mail. Returns
  ///     nil if the server does not reply.
  static func start(
    greeting: String = "220 mail.example.org ready\r\n", encryption: NIOSSLContext? = nil,
    isEncrypted: Bool = false, _ answer: @escaping @Sendable (String) -> String?
  ) async throws -> ScriptedServer {
    let server = ScriptedServer()
    let bound = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if isEncrypted, let encryption {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLServerHandler(context: encryption))
          }
          try channel.pipeline.syncOperations.addHandler(
            Conversation(
              server: server, greeting: greeting, encryption: isEncrypted ? nil : encryption,
              answer: answer))
        }
      }.bind(host: "127.0.0.1", port: 0).get()
    server.channel.withLock { $0 = bound }
    return server
  }

  func stop() async { try? await channel.withLock { $0 }?.close().get() }

  private func note(_ line: String) { received.withLock { $0.append(line) } }

  private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: ScriptedServer
    private let greeting: String
    private let encryption: NIOSSLContext?
    private let answer: @Sendable (String) -> String?
    private var bytes: [UInt8] = []
    private var isMail = false

    init(
      server: ScriptedServer, greeting: String, encryption: NIOSSLContext?,
      answer: @escaping @Sendable (String) -> String?
    ) {
      self.server = server
      self.greeting = greeting
      self.encryption = encryption
      self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) { say(greeting, context) }

    private func say(_ text: String, _ context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      bytes += Array(unwrapInboundIn(data).readableBytesView)
      while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: bytes[..<end].filter { $0 != 13 }, as: UTF8.self)
        bytes.removeFirst(end + 1)
        server.note(line)
        if isMail {
          guard line == "." else { continue }
          isMail = false
        }
        guard let reply = answer(line) else { continue }
        isMail = reply.hasPrefix("354")
        say(reply, context)
        if line == "STARTTLS", let encryption {
          do {
            try context.pipeline.syncOperations.addHandler(
              NIOSSLServerHandler(context: encryption), position: .first)
          } catch { context.close(promise: nil) }
        }
      }
    }
  }
}
