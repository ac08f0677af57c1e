public import Hummingbird
public import Logging
import NIOCore
public import StratusDomain

/// The server as the network sees it.
public struct HTTPServer: Sendable {
  /// Where it listens, and what it says of itself.
  public struct Settings: Sendable {
    public var host: String
    /// 0: any free one.
    public var port: Int
    public var managementToken: String
    /// Names this process in answers.
    public var instance: String

    public init(host: String, port: Int, managementToken: String, instance: String) {
      self.host = host
      self.port = port
      self.managementToken = managementToken
      self.instance = instance
    }
  }

  /// Joins the handlers to the network.
  ///
  /// - Parameter onReady: called with the port once requests are answered.
  /// - Returns: the application, not yet running.
  public static func application(
    service: StratusDomain.Service, management: [any ManagementHandler],
    authentication: any Authentication, ambient: Ambient, settings: Settings, logger: Logger,
    onReady: @escaping @Sendable (_ port: Int) async -> Void
  ) -> some ApplicationProtocol {
    let responder = Responder(
      routes: Routes(service: service, management: management), authentication: authentication,
      ambient: ambient, managementToken: settings.managementToken, instance: settings.instance)
    return Application(
      responder: responder,
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port)),
      onServerRunning: { await onReady($0.localAddress?.port ?? settings.port) },
      logger: logger)
  }
}
