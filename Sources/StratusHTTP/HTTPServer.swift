public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import StratusWire

/// The server as the network sees it.
public enum HTTPServer {
  /// Joins a router to the network.
  ///
  /// - Parameters:
  ///   - port: 0 for any free one.
  ///   - connections: how long it waits for clients.
  ///   - onReady: called with the port once requests are answered.
  /// - Returns: the application, not yet running.
  public static func application(
    router: Router, host: String, port: Int, connections: ConnectionSettings = .init(),
    logger: Logger, onReady: @escaping @Sendable (_ port: Int) async -> Void
  ) -> some ApplicationProtocol {
    Application(
      responder: NoResponder(),
      server: HTTPServerBuilder { _ in ConnectionChannel(router: router, settings: connections) },
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      onServerRunning: { await onReady($0.localAddress?.port ?? port) },
      logger: logger)
  }
}

/// A responder that is never called: ``ConnectionGate`` serves the connections. Hummingbird
/// listens, accepts them, and ends them with the server.
private struct NoResponder: HTTPResponder {
  struct Context: InitializableFromSource {
    init(source: ApplicationRequestContextSource) {}
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    Response(status: .notFound)
  }
}
