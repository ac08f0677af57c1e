import ArgumentParser
import Foundation
import StratusServer
import StratusTransport
import StratusWire

/// `stratus keys`.
struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Show, copy and reset the keys for an account's encrypted values.",
    discussion: """
      The key is only on the user's devices, in the file that STRATUS_KEYS names, or else in \
      ~/.config/stratus/keys.json. Without the key, not even the server's operator can read \
      encrypted values.
      """,
    subcommands: [Show.self, Export.self, Import.self, Reset.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: """
        Show the keys of this device, and whether they can decrypt the container's values.
        """)

    @OptionGroup var device: DeviceOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let keys = try device.keys()
      var report = KeysReport(
        file: keys.file?.path ?? "",
        keys: try explained { () throws(KeyFailure) in
          try keys.all().map(\.fingerprint)
        })
      var sentence = "no container is named; set STRATUS_CONTAINER to ask about one"
      if let account = try device.account(keys) {
        report.container = account.container
        switch try await asked({ () async throws(KeyFailure) in try await account.keys.standing() })
        {
        case .unused:
          report.standing = "unused"
          sentence = "\(account.container): nothing is encrypted yet"
        case .present(let key):
          report.standing = "present"
          sentence =
            "\(account.container): this device reads encrypted values, with \(key.fingerprint)"
        case .missing:
          report.standing = "missing"
          sentence =
            "\(account.container): this device lacks the key; run 'stratus keys export' on "
            + "one that has it, and 'stratus keys import' here"
        }
      }
      if json { return say(json: report) }
      say("keys in \(report.file)")
      for fingerprint in report.keys { say("key \(fingerprint)") }
      say(sentence)
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: """
        Print this device's recovery keys, one per line. They decrypt all encrypted values.
        """)

    @OptionGroup var device: DeviceOptions

    func run() async throws {
      let keys = try device.keys()
      let all = try explained { () throws(KeyFailure) in try keys.all() }
      if all.isEmpty {
        throw Failure("this device has no key yet; it is made with the first encrypted value")
      }
      for key in all { say(RecoveryKey(key).text) }
    }
  }

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read recovery keys from standard input, and store them on this device.",
      discussion: """
        The input has one recovery key per line, as 'stratus keys export' prints them. The keys \
        are not arguments, because other users can see arguments, and the shell stores them.
        """)

    @OptionGroup var device: DeviceOptions

    func run() async throws {
      let store = try device.keys()
      var texts: [String] = []
      while let line = readLine() {
        if line.contains(where: { !$0.isWhitespace }) { texts.append(line) }
      }
      if texts.isEmpty {
        throw Failure("give a recovery key on standard input, as 'stratus keys export' prints it")
      }
      var imported: [AccountKey] = []
      for (number, text) in texts.enumerated() {
        guard let key = RecoveryKey(text: text) else {
          throw Failure("recovery key \(number + 1) is mistyped: a letter is wrong or missing")
        }
        imported.append(key.accountKey)
      }
      // The first key is the newest and must stay first.
      for key in imported.reversed() {
        try explained { () throws(KeyFailure) in try store.add(key) }
      }
      for key in imported { say("key \(key.fingerprint)") }
    }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a new key for the account after the old key was lost.",
      discussion: """
        In the account's private database of the container, every zone with encrypted values is \
        deleted. Apps create these zones again and upload the values that are still on the \
        devices.
        """)

    @OptionGroup var device: DeviceOptions

    @Flag(help: "Confirm the deletion of the zones that have encrypted values.")
    var yes = false

    func run() async throws {
      let keys = try device.keys()
      guard let account = try device.account(keys) else {
        throw Failure("no container is named; set STRATUS_CONTAINER or give --container")
      }
      guard yes else {
        throw Failure(
          "this deletes every zone of \(account.container) that has encrypted values; "
            + "confirm it with --yes if no device has the key any more")
      }
      let (key, zoneCount) = try await asked { () async throws(KeyFailure) in
        try await account.keys.reset(randomness: Live.systemRandomness)
      }
      say("deleted \(zoneCount) zones; the account's key is now \(key.fingerprint)")
      say("keep its recovery key: \(RecoveryKey(key).text)")
    }
  }
}

/// The options that select the key file, the container and the environment of a command. The web
/// auth token in the environment or the credentials file selects the account.
struct DeviceOptions: ParsableArguments {
  @Option(help: "The key file. Default: STRATUS_KEYS, then ~/.config/stratus/keys.json.")
  var file: String?

  @Option(help: "The container's ID. Default: STRATUS_CONTAINER.")
  var container: String?

  @Option(
    help: """
      The environment: development or production. Default: STRATUS_ENVIRONMENT, then development.
      """)
  var environment: ContainerEnvironment?

  private func settings() -> ServerSettings {
    let variables = ProcessInfo.processInfo.environment
    var settings = ServerSettings(
      container: container, environment: environment,
      keysFile: file.map { URL(fileURLWithPath: $0) }
    ).completed(by: ServerSettings(environmentVariables: variables))
    if let location = CredentialsFile.location(environmentVariables: variables),
      let stored = CredentialsFile.read(at: location)
    {
      settings = settings.completed(by: stored)
    }
    return settings
  }

  func keys() throws -> DeviceKeys {
    guard let file = settings().keysFile else {
      throw Failure("there is no home folder; name the key file with STRATUS_KEYS or --file")
    }
    return DeviceKeys(file: file)
  }

  /// Returns the container and the keys of its account, or nil if no container is given.
  func account(_ keys: DeviceKeys) throws -> (container: String, keys: AccountKeys)? {
    let settings = settings()
    guard let container = settings.container else { return nil }
    return (
      container,
      AccountKeys(connection: connection(to: container, settings), deviceKeys: keys)
    )
  }

  /// The scheme of the server's URL.
  var scheme: String { settings().url?.scheme ?? "http" }

  /// Returns a connection that acts for the user.
  func connection() throws -> Connection {
    let settings = settings()
    guard let container = settings.container else {
      throw Failure("no container is named; set STRATUS_CONTAINER or give --container")
    }
    return connection(to: container, settings)
  }

  private func connection(to container: String, _ settings: ServerSettings) -> Connection {
    var url = settings.url?.absoluteString ?? "http://127.0.0.1:8080"
    while url.hasSuffix("/") { url.removeLast() }
    return Connection(
      to: Connection.Address(
        url: url, container: container, environment: settings.environment ?? .development,
        deviceID: "stratus-keys"),
      apiToken: settings.apiToken, webAuthToken: settings.webAuthToken,
      exchange: NetworkExchange(),
      // The requests have no time limit, so they need no clock.
      timing: Timing(now: { 0 }, sleep: { try await Task.sleep(for: .seconds($0)) }, chance: { 0 }))
  }
}

/// Runs `body`, and converts an error about keys to a sentence that says what to do.
func explained<Value>(_ body: () throws(KeyFailure) -> Value) throws -> Value {
  do throws(KeyFailure) { return try body() } catch { throw Failure(error) }
}

/// Runs `body`, and converts an error of a request to a sentence that says what to do.
private func asked<Value>(
  _ body: () async throws(KeyFailure) -> Value
) async throws -> Value {
  do throws(KeyFailure) { return try await body() } catch { throw Failure(error) }
}

extension Failure {
  fileprivate init(_ failure: KeyFailure) {
    switch failure {
    case .unusable(let reason), .notHere(let reason): self.init(reason)
    case .missing: self.init("this device lacks the account's key; run 'stratus keys import'")
    case .transport(let failure): self.init(failure)
    }
  }
}

extension Failure {
  /// Creates the failure of a request to the server.
  init(_ failure: TransportFailure) {
    switch failure {
    case .refused(let error, _, _): self.init(error.reason)
    case .unreadable(let status, _, _): self.init("the server answered with status \(status)")
    case .network: self.init("no server answers; set STRATUS_URL to where it is")
    case .accountChanged: self.init("another user has signed in; try again")
    }
  }
}
