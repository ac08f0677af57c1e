public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import StratusWire

/// Connects a router to the network.
public enum HTTPServer {
  /// Creates the application that serves a router's clients.
  ///
  /// - Parameters:
  ///   - port: the port at which the server listens, or 0 for any free port.
  ///   - connections: the time-outs for clients and the maximum number of connections.
  ///   - tls: the server's certificate, or nil if connections are not encrypted.
  ///   - onReady: is called with the port when the server accepts requests.
  /// - Returns: the application, which is not running yet.
  public static func application(
    router: Router, host: String, port: Int, connections: ConnectionSettings = .init(),
    tls: TLSIdentity? = nil, logger: Logger,
    onReady: @escaping @Sendable (_ port: Int) async -> Void
  ) -> some ApplicationProtocol {
    Application(
      responder: NoResponder(),
      server: HTTPServerBuilder { _ in
        ConnectionChannel(router: router, settings: connections, tls: tls)
      },
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      onServerRunning: { await onReady($0.localAddress?.port ?? port) },
      logger: logger)
  }
}

extension HTTPServer {
  /// The address at which the server receives the operator's commands.
  public enum ManagementAddress: Sendable {
    /// A socket in the file system. It has no port, and only the owner of its folder can use it.
    case socket(path: String)
    /// A port of this machine. The port 0 means any free port.
    case port(Int)
  }

  /// Creates the application that serves the operator's commands at a socket or a port.
  ///
  /// - Parameters:
  ///   - router: a router whose `endpointSet` is ``Router/EndpointSet/management``.
  ///   - onReady: is called with the URL when the server accepts requests.
  /// - Returns: the application, which is not running yet.
  public static func management(
    router: Router, at managementAddress: ManagementAddress,
    connections: ConnectionSettings = .init(),
    logger: Logger, onReady: @escaping @Sendable (_ url: String) async -> Void
  ) -> some ApplicationProtocol {
    let address: BindAddress =
      switch managementAddress {
      case .socket(let path): .unixDomainSocket(path: path)
      case .port(let port): .hostname("127.0.0.1", port: port)
      }
    return Application(
      responder: NoResponder(),
      server: HTTPServerBuilder { _ in ConnectionChannel(router: router, settings: connections) },
      configuration: ApplicationConfiguration(address: address),
      onServerRunning: { channel in
        switch managementAddress {
        case .socket(let path): await onReady(url(ofSocket: path))
        case .port(let port):
          await onReady("http://127.0.0.1:\(channel.localAddress?.port ?? port)")
        }
      },
      logger: logger)
  }

  /// Returns the URL with which AsyncHTTPClient connects to a socket in the file system. The path
  /// of the socket takes the place of the host.
  static func url(ofSocket path: String) -> String {
    let name = path.utf8.map { byte -> String in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "_")
      if isPlain { return String(UnicodeScalar(byte)) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return "http+unix://" + name.joined()
  }
}

/// A responder that is never called, because ``ConnectionGate`` serves the connections. Hummingbird
/// only listens, accepts connections, and closes them when the server stops.
private struct NoResponder: HTTPResponder {
  struct Context: InitializableFromSource {
    init(source: ApplicationRequestContextSource) {}
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    Response(status: .notFound)
  }
}
