import ArgumentParser
import StratusServer

/// The options for the address of the console.
struct ConsoleOptions: ParsableArguments {
  @Option(
    help: """
      The port of the console; 0 means any free port. Without this option, there is no console.
      """)
  var consolePort: Int?

  @Option(help: "The address at which the console listens.")
  var consoleHost = "127.0.0.1"

  @Option(
    help: """
      The address at which browsers open the console, such as https://console.example.org. It is \
      needed behind a proxy.
      """)
  var consoleURL: String?

  /// - Parameter isEncrypted: whether the server uses TLS.
  /// - Returns: nil if there is no console.
  /// - Throws: `Failure` for an option that cannot be used.
  func address(isEncrypted: Bool) throws -> ConsoleAddress? {
    guard let consolePort else {
      if consoleURL != nil { throw Failure("--console-url also needs --console-port") }
      return nil
    }
    try requirePort(consolePort, of: "--console-port")
    let url = try consoleURL.map { try ServeCommand.checkedURL($0, option: "--console-url") }
    let address = ConsoleAddress(host: consoleHost, port: consolePort, url: url)
    if let fault = address.fault(isEncrypted: isEncrypted) { throw Failure(fault) }
    return address
  }
}
