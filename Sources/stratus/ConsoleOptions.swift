import ArgumentParser
import StratusServer

/// The options for the address of the console.
struct ConsoleOptions: ParsableArguments {
  @Option(
    help: "The port of the console; 0 means any free port. Without this option, there is none.")
  var consolePort: Int?

  @Option(help: "The address at which the console listens.")
  var consoleHost = "127.0.0.1"

  @Option(
    help: """
      The address at which browsers open the console, such as https://console.example.org. It is \
      needed behind a proxy.
      """)
  var consoleURL: String?

  /// - Returns: nil if there is no console.
  /// - Throws: `Failure` for an option that cannot be used.
  func address() throws -> ConsoleAddress? {
    guard let consolePort else {
      if consoleURL != nil { throw Failure("--console-url needs --console-port, too") }
      return nil
    }
    guard (0...65_535).contains(consolePort) else {
      throw Failure("--console-port must be 0 to 65535")
    }
    if let consoleURL, !consoleURL.hasPrefix("http://"), !consoleURL.hasPrefix("https://") {
      throw Failure("--console-url must begin with https:// or http://")
    }
    let url = consoleURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    return ConsoleAddress(host: consoleHost, port: consolePort, url: url)
  }
}
