import ArgumentParser
import Foundation
import StratusTransport
import StratusWire

/// `stratus login`.
struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to a server, and store the credentials for apps on this machine.",
    discussion: """
      The command prints a URL and a code. Open the URL in any browser, compare the code, and \
      approve the sign-in. The command then writes the file ~/.config/stratus/credentials.json, \
      which programs with 'import CloudKit' read. The API token of the app comes from \
      STRATUS_API_TOKEN, or else from that file.
      """)

  @Option(help: "The server's URL. Default: STRATUS_URL, then the URL in the credentials file.")
  var url: String?

  func run() async throws {
    let location = try StoredCredentials.location()
    let known = StoredCredentials.settings(at: location)
    let url = try Self.checked(url ?? known.url?.absoluteString ?? "http://127.0.0.1:8080")
    guard let apiToken = known.apiToken else {
      throw Failure("no API token is set; set STRATUS_API_TOKEN to the token of your app")
    }
    let login = DeviceLogin(
      url: url, apiToken: apiToken, exchange: NetworkExchange(), timing: .ofCommand)
    do throws(DeviceLogin.Failure) {
      let authorization = try await login.begin(machine: ProcessInfo.processInfo.hostName)
      say("open \(authorization.completeVerificationURL ?? authorization.verificationURL)")
      say("and compare the code \(authorization.userCode)")
      let token = try await login.token(for: authorization)
      let settings = ServerSettings(
        url: URL(string: url), container: token.containerID ?? known.container,
        environment: token.environment ?? known.environment, apiToken: apiToken,
        webAuthToken: token.webAuthToken)
      do { try CredentialsFile.write(settings, to: location) } catch {
        try? await login.revoke(webAuthToken: token.webAuthToken)
        complain("the file '\(location.path)' cannot be written: \(error.localizedDescription)")
        throw .refused(DeviceSignIn.Refusal(.accessDenied, "nothing was stored"))
      }
      say("signed in to \(url)\(settings.placeText)")
    } catch {
      throw Failure(error, at: url)
    }
    if ProcessInfo.processInfo.environment["STRATUS_WEB_AUTH_TOKEN"]?.isEmpty == false {
      complain("note: STRATUS_WEB_AUTH_TOKEN is set, so programs do not use the stored sign-in")
    }
  }

  /// Returns the URL without trailing slashes.
  ///
  /// - Throws: `Failure` if the text is not the URL of a server, or if the token would cross a
  ///   network in clear text.
  static func checked(_ text: String) throws -> String {
    var url = text
    while url.hasSuffix("/") { url.removeLast() }
    guard let host = URL(string: url)?.host, !host.isEmpty,
      url.lowercased().hasPrefix("http://") || url.lowercased().hasPrefix("https://")
    else { throw Failure("'\(text)' is not the URL of a server; give one with --url") }
    guard isPrivateURL(url) else {
      throw Failure(
        "--url must begin with https:// or name this machine, because the token would cross the "
          + "network in clear text")
    }
    return url
  }
}

/// `stratus logout`.
struct LogoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "End the session of the stored credentials, and remove its token from this machine.")

  func run() async throws {
    let location = try StoredCredentials.location()
    guard var stored = CredentialsFile.read(at: location), let token = stored.webAuthToken else {
      throw Failure("nobody is signed in; sign in with 'stratus login'")
    }
    let url = stored.url?.absoluteString ?? "http://127.0.0.1:8080"
    stored.webAuthToken = nil
    do { try CredentialsFile.write(stored, to: location) } catch {
      throw Failure(
        "the file '\(location.path)' cannot be written: \(error.localizedDescription)")
    }
    let login = DeviceLogin(
      url: try LoginCommand.checked(url), apiToken: stored.apiToken ?? "",
      exchange: NetworkExchange(), timing: .ofCommand)
    do throws(DeviceLogin.Failure) { try await login.revoke(webAuthToken: token) } catch {
      throw Failure(
        "the token is removed from this machine, but the server could not end the session; end it "
          + "at \(url)/account")
    }
    say("signed out of \(url)")
  }
}

/// `stratus whoami`.
struct WhoAmICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami",
    abstract: "Show the server, the container and the user of programs on this machine.",
    discussion: """
      The settings come from the environment variables that begin with STRATUS_, and then from \
      the credentials file, as in programs with 'import CloudKit'.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let settings = StoredCredentials.settings(at: try StoredCredentials.location())
    guard let webAuthToken = settings.webAuthToken else {
      throw Failure("nobody is signed in; sign in with 'stratus login'")
    }
    guard let container = settings.container else {
      throw Failure("no container is named; set STRATUS_CONTAINER")
    }
    let url = try LoginCommand.checked(settings.url?.absoluteString ?? "http://127.0.0.1:8080")
    let environment = settings.environment ?? .development
    let connection = Connection(
      to: Connection.Address(
        url: url, container: container, environment: environment, deviceID: "stratus-whoami"),
      apiToken: settings.apiToken, webAuthToken: webAuthToken, exchange: NetworkExchange(),
      timing: .ofCommand)
    let answer: FetchCaller.Response
    do throws(TransportFailure) {
      answer = try await connection.send(
        FetchCaller.self, EmptyRequest(), to: .public, isIdempotent: true)
    } catch { throw Failure(error) }
    let report = CallerReport(
      url: url, containerID: container, environment: environment,
      userRecordName: answer.user.userRecordName)
    if json { return say(json: report) }
    say("server \(report.url)")
    say("container \(container) (\(environment.rawValue))")
    say("user \(report.userRecordName)")
  }
}

/// The credentials of this user on this machine.
private enum StoredCredentials {
  /// - Throws: `Failure` if there is no home folder.
  static func location() throws -> URL {
    let variables = ProcessInfo.processInfo.environment
    guard let location = CredentialsFile.location(environmentVariables: variables) else {
      throw Failure("there is no home folder; set HOME or XDG_CONFIG_HOME")
    }
    return location
  }

  /// The settings from environment variables. Missing settings come from the file.
  static func settings(at location: URL) -> ServerSettings {
    let settings = ServerSettings(
      environmentVariables: ProcessInfo.processInfo.environment)
    return CredentialsFile.read(at: location).map(settings.completed(by:)) ?? settings
  }
}

extension ServerSettings {
  /// The container and the environment for a sentence, or an empty text.
  fileprivate var placeText: String {
    guard let container else { return "" }
    return " for \(container) (\((environment ?? .development).rawValue))"
  }
}

extension Timing {
  /// The timing of a command, which waits in real time.
  static let ofCommand = Timing(
    now: { ProcessInfo.processInfo.systemUptime },
    sleep: { try await Task.sleep(for: .seconds($0)) }, chance: { 0 })
}

extension Failure {
  fileprivate init(_ failure: DeviceLogin.Failure, at url: String) {
    switch failure {
    case .network: self.init("no server answers at \(url); name the server with --url")
    case .invalidURL: self.init("'\(url)' is not the URL of a server; give one with --url")
    case .unreadable(let status):
      self.init("the server at \(url) answered with status \(status); is it a Stratus server?")
    case .refused(let refusal):
      switch refusal.code {
      case .accessDenied: self.init("the sign-in was refused")
      case .expiredToken: self.init("the code has expired; run 'stratus login' again")
      case .invalidClient:
        self.init("the server does not know the API token; set STRATUS_API_TOKEN to another one")
      case .slowDown: self.init("too many sign-ins are waiting; try again in ten minutes")
      case .authorizationPending, .invalidRequest, .unsupportedGrantType:
        self.init(refusal.description ?? "the server does not understand the request")
      }
    }
  }
}
