import Foundation
import Hummingbird
import ServiceLifecycle
import StratusAccounts
import StratusConsole
import StratusDomain
import StratusHTTP
import StratusWire
import Synchronization

extension Server {
  /// The console of a server that starts.
  struct ConsoleService: Sendable {
    var service: any ServiceLifecycle.Service
    /// Yields the console's URL when the console accepts requests.
    var url: AsyncStream<String>
    var setupCode: String?
  }

  /// Creates the console at its own address, or returns nil if the settings have no console.
  func consoleService(
    _ parts: Composition, _ identity: TLSIdentity?, serverPort: BoundPort
  ) async throws -> ConsoleService? {
    guard let address = settings.console else { return nil }
    let scheme = identity == nil ? "http" : "https"
    let (console, setupCode) = try await parts.accounts.console(version: ServerVersion.current)
    var router = parts.router
    router.pages = nil
    router.publicURL = address.url
    router.trustedProxies = settings.connections.trustedProxies
    router.isEncrypted = identity != nil
    router.requiresEncryption =
      identity != nil || address.url?.hasPrefix("https://") == true
    var files: any ConsoleFileSource = ConsoleFiles()
    if let folder = address.files { files = ConsoleFolder(folder) }
    router.console = ConsoleSite(
      console: console, files: files, consoleURL: address.url, log: parts.requestLog,
      news: parts.news, version: ServerVersion.current
    ) { [publicURL = settings.publicURL] consoleURL in
      publicURL ?? serverPort.url(beside: consoleURL, scheme: scheme)
    }
    parts.requestLog.keep()
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

/// The port at which apps call the server. It is known as soon as the server listens.
final class BoundPort: Sendable {
  private let port: Mutex<Int>

  init(_ port: Int) { self.port = Mutex(port) }

  func set(_ number: Int) { port.withLock { $0 = number } }

  /// Returns the URL of this port, with the host name under which a browser has reached the
  /// console.
  func url(beside consoleURL: String, scheme: String) -> String {
    let authority = consoleURL.split(separator: "/").last ?? "localhost"
    let host =
      authority.hasPrefix("[")
      ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    return "\(scheme)://\(host):\(port.withLock { $0 })"
  }
}
