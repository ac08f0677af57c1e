import ArgumentParser
import Foundation
import Logging
import StratusServer
import StratusTransport
import StratusWire

/// `stratus dev`: runs a complete development server in one process.
struct DevCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dev",
    abstract: "Run a server for development on this machine.",
    discussion: """
      The server creates each container at the first write to it. The command signs in an account \
      for development, and prints the settings to export. Then it prints "stratus is ready at \
      URL". Each visitor may create an account. Mails are written as .eml files into the folder \
      'mail' of the data folder. Ctrl-C stops the server and keeps its data.
      """)

  static let email = "developer@localhost"
  /// The container of `CKContainer.default()`, unless the developer chooses another one.
  static let container = "iCloud.org.example.Stratus"

  @OptionGroup var data: DataOption

  @Option(help: "The address at which the server listens.")
  var host = "127.0.0.1"

  @Option(help: "The port at which the server listens; 0 means any free port.")
  var port = 8080

  @OptionGroup(title: "PostgreSQL")
  var postgres: PostgresOptions

  @OptionGroup var management: ManagementOptions

  @OptionGroup var console: ConsoleOptions

  @Option(
    help: """
      A folder with the files of the console's front end, such as \
      Sources/StratusConsoleFiles/Files. The server reads the files for each request, so a changed \
      file needs no build.
      """)
  var consoleFiles: String?

  func run() async throws {
    try requirePort(port, of: "--port")
    var settings = Settings(
      dataFolder: data.url, host: host, port: port, developerEmail: Self.email)
    settings.postgres = try postgres.access()
    settings.managementPort = try management.port()
    settings.mail = MailServiceSettings(
      signUp: "open", route: .folder(data.url.appendingPathComponent("mail")),
      sender: "Stratus <stratus@localhost>")
    settings.console = try console.address(isEncrypted: false)
    if let consoleFiles {
      guard settings.console != nil else {
        throw Failure("--console-files also needs --console-port")
      }
      guard FileManager.default.fileExists(atPath: consoleFiles + "/index.html") else {
        throw Failure("--console-files needs a folder with the file index.html")
      }
      settings.console?.files = consoleFiles
    }
    settings.requestLog = settings.console == nil ? nil : RequestLogSettings()
    // NB: this is the developer's own key file, outside the data folder. A data folder never
    // contains a key that decrypts its values, so a copy of the folder cannot be decrypted.
    let keysFile = DeviceKeys.location(
      environmentVariables: ProcessInfo.processInfo.environment)
    try await serve(settings, log: LogOptions()) { ready in
      let file = ManagementFile(
        url: "", token: "", serverURL: ready.url, apiToken: ready.apiToken,
        webAuthToken: ready.webAuthToken)
      for line in exports(of: file) { say(line) }
      if let keysFile, makeKey(in: keysFile) {
        say("export STRATUS_KEYS=\(inShell(keysFile.absoluteURL.path))")
      }
    }
  }
}

/// Creates the key for the developer's encrypted values, unless there is one.
///
/// - Returns: whether a key exists now.
private func makeKey(in file: URL) -> Bool {
  do throws(KeyFailure) {
    _ = try DeviceKeys(file: file).newest(orDrawnFrom: Live.systemRandomness)
    return true
  } catch {
    switch error {
    case .unusable(let reason), .notHere(let reason): complain("no encrypted values: \(reason)")
    case .missing, .transport: complain("no encrypted values: the key cannot be made")
    }
    return false
  }
}

/// Quotes a text, so that a shell reads it unchanged.
func inShell(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "+"),
      UInt8(ascii: "="):
      true
    default: false
    }
  }
  return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
}

/// `stratus serve`: runs a server.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the server.",
    discussion: """
      The command prints "stratus is ready at URL" when the server accepts requests. SIGTERM stops \
      the server after the requests in progress are answered, at the latest after --grace-period.
      """)

  /// The maximum of the option `--history-days`: a hundred years.
  private static let historyDaysMax: Int64 = 36_500
  /// The maximum of the option `--store-idle`: one year.
  private static let storeIdleMax: Int64 = 31_536_000

  /// The options that may be given several times.
  static let repeatedOptions: Set = ["trusted-proxy", "identity-provider"]

  @Option(
    help: ArgumentHelp(
      "A YAML file with these options. An option on the command line replaces the file's setting.",
      valueName: "file"))
  var config: String?

  @OptionGroup var data: DataOption

  @Option(help: "The address at which the server listens.")
  var host = "127.0.0.1"

  @Option(help: "The port at which the server listens; 0 means any free port.")
  var port = 8080

  @Option(
    help: """
      The address that clients use, such as https://cloud.example.org. Without it, URLs in answers \
      begin with the address that a trusted proxy names, or else with the host of the request.
      """)
  var publicURL: String?

  @Option(
    help: """
      The number of days for which deletions are kept. A client with an older change token may \
      have to fetch all records again. 0 keeps all deletions.
      """)
  var historyDays: Int64 = 0

  @Option(
    help: """
      The number of seconds without requests after which a container's store is closed. The next \
      request opens it again. 0 keeps stores open.
      """)
  var storeIdle: Int64 = 600

  @OptionGroup(title: "PostgreSQL")
  var postgres: PostgresOptions

  @OptionGroup(title: "S3")
  var assets: AssetsOptions

  @OptionGroup var management: ManagementOptions

  @OptionGroup(title: "Console")
  var console: ConsoleOptions

  @OptionGroup(title: "Logs and metrics")
  var monitoring: MonitoringOptions

  @OptionGroup(title: "Request log")
  var requestLog: RequestLogOptions

  @OptionGroup(title: "TLS")
  var tls: TLSOptions

  @OptionGroup(title: "Sign-up and mail")
  var mail: MailOptions

  @OptionGroup(title: "Identity providers")
  var providers: ProviderOptions

  @OptionGroup(title: "Backups")
  var backups: BackupOptions

  @OptionGroup(title: "Limits")
  var limits: LimitOptions

  @OptionGroup(title: "Connections")
  var connections: ConnectionOptions

  @OptionGroup(title: "Notifications")
  var push: PushOptions

  @OptionGroup(title: "Apple's push service")
  var apns: APNsOptions

  func run() async throws {
    guard let config else { return try await serve(try settings(), log: monitoring.log) { _ in } }
    let file: ConfigFile
    let settings: Settings
    let log: LogOptions
    do {
      file = try ConfigFile(path: config)
      let arguments = CommandLine.arguments.drop { $0 != "serve" }.dropFirst()
      let command = try file.command(with: Array(arguments))
      log = command.monitoring.log
      do { settings = try command.settings() } catch let failure as Failure {
        throw file.fault(of: failure).map { Failure($0.description) } ?? failure
      }
    } catch let fault as ConfigFile.Fault {
      throw Failure(fault.description)
    }
    try await serve(settings, log: log) { _ in }
  }

  /// - Throws: `Failure` for an option that cannot be used.
  func settings() throws -> Settings {
    try requirePort(port, of: "--port")
    let publicURL = try publicURL.map { try Self.checkedURL($0, option: "--public-url") }
    try requireNumber(historyDays, in: 0...Self.historyDaysMax, of: "--history-days")
    var settings = Settings(
      dataFolder: data.url, host: host, port: port, publicURL: publicURL,
      limits: try limits.settings())
    try requireNumber(storeIdle, in: 0...Self.storeIdleMax, of: "--store-idle")
    settings.postgres = try postgres.access()
    settings.assets = try assets.access()
    settings.storeIdleSeconds = storeIdle == 0 ? nil : storeIdle
    settings.managementPort = try management.port()
    settings.managementToken = try ManagementOptions.token(
      in: ProcessInfo.processInfo.environment)
    settings.console = try console.address(isEncrypted: tls.files() != nil)
    settings.metrics = try monitoring.address()
    settings.traces = try monitoring.traces()
    settings.slowQueryMilliseconds = try monitoring.slowQuery()
    settings.requestLog = try requestLog.settings(hasConsole: settings.console != nil)
    settings.historyDays = historyDays == 0 ? nil : historyDays
    settings.connections = try connections.settings()
    settings.boundsAddresses = connections.connectionsPerAddress == nil
    settings.tls = try tls.files()
    settings.mail = try mail.settings(publicURL: publicURL)
    settings.providers = try providers.settings(publicURL: publicURL)
    settings.backups = try backups.settings(data: data.url, postgres: settings.postgres)
    settings.push = try push.settings()
    settings.apns = try apns.access()
    return settings
  }
}

extension ServeCommand {
  /// Returns a URL as browsers write it in the header field `Origin`.
  ///
  /// - Throws: `Failure` unless the URL is a scheme and a host, with or without a port. With any
  ///   other URL, browsers could not send forms to the server's pages.
  static func checkedURL(_ text: String, option: String) throws -> String {
    let url = text.lowercased()
    guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
      throw Failure("\(option) must begin with https:// or http://")
    }
    let form =
      /(https?:\/\/)(\[[0-9a-f:.]+\]|[0-9a-z_\-]+(?:\.[0-9a-z_\-]+)*)(:[0-9]{1,5})?\/?/
    guard let parts = url.wholeMatch(of: form)?.output else {
      throw Failure(
        "\(option) must be a scheme and a host, such as https://cloud.example.org, without a "
          + "path or a user")
    }
    let usual = parts.1 == "https://" ? ":443" : ":80"
    let port = parts.3.flatMap { $0 == usual ? nil : $0 } ?? ""
    guard port.dropFirst().isEmpty || Int(port.dropFirst()).map({ 1...65_535 ~= $0 }) == true else {
      throw Failure("the port in \(option) must be 1 to 65535")
    }
    return "\(parts.1)\(parts.2)\(port)"
  }
}

/// The option for the address of the operator's commands.
struct ManagementOptions: ParsableArguments {
  @Option(
    help: """
      A port of 127.0.0.1 for management requests; 0 means any free port. Default: a socket in the \
      data folder. 'stratus serve' takes the token for these requests from the variable \
      STRATUS_MANAGEMENT_TOKEN, or draws one at each start.
      """)
  var managementPort: Int?

  /// Returns the token that the operator has chosen for all nodes, or nil if there is none.
  ///
  /// - Throws: `Failure` for a token that could be guessed or that does not fit in a header field.
  static func token(in environment: [String: String]) throws -> String? {
    guard let token = environment["STRATUS_MANAGEMENT_TOKEN"], !token.isEmpty else { return nil }
    guard (32...256).contains(token.utf8.count), token.utf8.allSatisfy({ (33...126).contains($0) })
    else {
      throw Failure(
        "STRATUS_MANAGEMENT_TOKEN must have 32 to 256 characters of ASCII, without spaces: use "
          + "'openssl rand -hex 32', or unset the variable")
    }
    return token
  }

  /// - Throws: `Failure` for a number that is not a port.
  func port() throws -> Int? {
    if let managementPort { try requirePort(managementPort, of: "--management-port") }
    return managementPort
  }
}

/// Returns the line that a server with a console prints when it is ready.
private func consoleLine(_ url: String, setupCode: String?) -> String {
  guard let setupCode else { return "the console is at \(url)" }
  return "set up the console at \(url)/set-up with the code \(setupCode)"
}

/// Runs a server until a signal arrives.
///
/// - Throws: `Failure` with a sentence that says what to do.
private func serve(
  _ settings: Settings, log: LogOptions,
  whenReady announce: @escaping @Sendable (Server.Ready) -> Void
) async throws {
  // Only the owner may read the files that the server creates.
  umask(0o077)
  let output = LogOutput(format: log.format)
  defer { output.flush() }
  do {
    let logger = output.logger(label: "stratus", level: log.level)
    let server = Server(settings: settings, logger: logger, output: output)
    try await server.run(heedsSignals: true) { ready in
      for line in StartReport(of: settings, at: ready.url).lines { complain(line) }
      announce(ready)
      say("stratus is ready at \(ready.url)")
      if let url = ready.metricsURL { say("the metrics are at \(url)") }
      if let url = ready.consoleURL { say(consoleLine(url, setupCode: ready.setupCode)) }
      ReadyNotification.send()
    }
  } catch {
    let text = "\(error)"
    if text.contains("Address already in use") {
      throw Failure("port \(settings.port) is taken; choose another with --port")
    }
    throw Failure(text)
  }
}
