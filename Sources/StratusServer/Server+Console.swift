import Foundation
import Hummingbird
import ServiceLifecycle
import StratusAccounts
import StratusConsole
import StratusHTTP
import StratusWire

extension Server {
  /// The console of a server that starts.
  struct ConsoleService: Sendable {
    var service: any ServiceLifecycle.Service
    /// Yields the console's URL when the console accepts requests.
    var url: AsyncStream<String>
    var setupCode: String?
  }

  /// Creates the console at its own address, or returns nil if the settings have none.
  func consoleService(
    _ parts: Composition, _ identity: TLSIdentity?
  ) async throws -> ConsoleService? {
    guard let address = settings.console else { return nil }
    let scheme = identity == nil ? "http" : "https"
    let serverURL =
      settings.publicURL ?? "\(scheme)://\(Settings.inURL(settings.bareHost)):\(settings.port)"
    let (console, setupCode) = try await parts.accounts.console(
      version: ServerVersion.current, serverURL: serverURL)
    var router = parts.router
    router.pages = nil
    router.publicURL = address.url
    router.trustedProxies = settings.connections.trustedProxies
    router.isEncrypted = identity != nil
    router.requiresEncryption =
      identity != nil || address.url?.hasPrefix("https://") == true
    router.console = ConsoleSite(
      console: console, files: ConsoleFiles(), consoleURL: address.url, serverURL: serverURL)
    let (urls, url) = AsyncStream<String>.makeStream()
    let application = HTTPServer.application(
      router: router, host: address.host, port: address.port, tls: identity, logger: logger
    ) { port in
      url.yield(address.url ?? "\(scheme)://\(Settings.inURL(address.host)):\(port)")
      url.finish()
    }
    return ConsoleService(service: application, url: urls, setupCode: setupCode)
  }
}
