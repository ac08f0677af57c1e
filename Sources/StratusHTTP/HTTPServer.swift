public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore

/// The server as the network sees it.
public enum HTTPServer {
  /// Joins a router to the network.
  ///
  /// - Parameters:
  ///   - port: 0 for any free one.
  ///   - onReady: called with the port once requests are answered.
  /// - Returns: the application, not yet running.
  public static func application(
    router: Router, host: String, port: Int, logger: Logger,
    onReady: @escaping @Sendable (_ port: Int) async -> Void
  ) -> some ApplicationProtocol {
    Application(
      responder: Responder(router: router),
      server: HTTPServerBuilder { responder in
        ListeningChannel(router: router, hummingbird: HTTP1Channel(responder: responder))
      },
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      onServerRunning: { await onReady($0.localAddress?.port ?? port) },
      logger: logger)
  }
}
