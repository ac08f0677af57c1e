import ArgumentParser
import Foundation
import StratusTransport
import StratusWire

/// The options that all verbs about records, zones and subscriptions have.
struct CloudKitToolDatabase: ParsableArguments {
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case `public`, `private`, shared

    var scope: DatabaseScope {
      switch self {
      case .public: .public
      case .private: .private
      case .shared: .shared
      }
    }
  }

  @Option(
    name: .shortAndLong,
    help: """
      The user token. Default: CLOUDKIT_USER_TOKEN, then a saved token, then \
      STRATUS_WEB_AUTH_TOKEN, then the credentials file.
      """)
  var token: String?

  @OptionGroup var container: CloudKitToolContainer

  @Option(help: "The environment: development or production.")
  var environment: ContainerEnvironment

  @Option(help: "The database: public, private or shared.")
  var databaseType: Kind

  @Option(help: "The zone's name.")
  var zoneName: String = ZoneID.defaultZoneName

  @Option(help: "The server's URL. Default: STRATUS_URL, then the credentials file.")
  var url: String?

  var zoneID: ZoneID { ZoneID(zoneName: zoneName) }

  func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, isIdempotent: Bool
  ) async throws -> E.Response {
    let connection = try open()
    do throws(TransportFailure) {
      return try await connection.send(
        endpoint, request, to: databaseType.scope, isIdempotent: isIdempotent)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Returns a connection with the user's token.
  ///
  /// - Throws: ``Failure``.
  func open() throws -> Connection {
    let variables = ProcessInfo.processInfo.environment
    var settings = ServerSettings(
      url: url.flatMap(URL.init(string:)), container: container.containerID,
      environment: environment, apiToken: nil, webAuthToken: nil
    ).completed(by: ServerSettings(environmentVariables: variables))
    if let file = CredentialsFile.location(environmentVariables: variables),
      let stored = CredentialsFile.read(at: file)
    {
      settings = settings.completed(by: stored)
    }
    guard let url = settings.url else {
      throw Failure("the server's URL is missing; give --url or set STRATUS_URL")
    }
    guard let user = try token ?? CloudKitToolTokens.find(.user) ?? settings.webAuthToken else {
      throw CloudKitToolTokens.missing(.user)
    }
    let text = url.absoluteString
    return Connection(
      to: .init(
        url: text.hasSuffix("/") ? String(text.dropLast()) : text,
        container: container.containerID, environment: environment, deviceID: "stratus-cktool"),
      apiToken: settings.apiToken, webAuthToken: user, exchange: NetworkExchange(),
      timing: Self.timing)
  }

  /// NB: this timing has no clock and no randomness. Requests have no time limit, and a single
  /// command need not retry at random times.
  private static let timing = Timing(
    now: { 0 }, sleep: { try await Task.sleep(for: .seconds($0)) }, chance: { 0.5 })

  static func failure(_ failure: TransportFailure) -> Failure {
    switch failure {
    case .refused(let error, _, _): Failure("\(error.code.rawValue): \(error.reason)")
    case .unreadable(_, let reason, _): Failure("the server's answer cannot be read: \(reason)")
    case .network: Failure("no server answers; start it with 'stratus serve', or give --url")
    case .accountChanged: Failure("another user has signed in; run the command again")
    }
  }
}
