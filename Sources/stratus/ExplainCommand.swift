import ArgumentParser
import Foundation
import StratusProgress
import StratusServer
import StratusTransport
import StratusWire

/// `stratus explain`: shows how the server answers a query.
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show how the server answers a query: the plan, the index, and the rows read.",
    discussion: """
      Missing options are taken from STRATUS_URL, STRATUS_CONTAINER, STRATUS_ENVIRONMENT, \
      STRATUS_API_TOKEN and STRATUS_WEB_AUTH_TOKEN, then from the credentials file. Example:

        stratus explain '{"recordType": "Note", "sortBy": [{"fieldName": "title"}]}'
      """)

  @Option(help: "The server's URL.")
  var url: String?

  @Option(help: "The container's ID.")
  var container: String?

  @Option(help: "The environment: development or production.")
  var environment: ContainerEnvironment?

  @Option(help: "The database: public or private.")
  var database: Database = .private

  @Option(help: "A file that contains the app's token, or - for standard input.")
  var apiTokenFile: String?

  @Option(help: "A file that contains the user's token, or - for standard input.")
  var webTokenFile: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Argument(
    help: """
      The JSON of a query or of a records/query request, a file with that JSON, or - for standard \
      input.
      """)
  var query: String

  enum Database: String, ExpressibleByArgument, CaseIterable {
    case `public`, `private`
  }

  func run() async throws {
    var request = try readRequest()
    request.explains = true
    let connection = try connect()
    let response = try await send(request, on: connection)
    guard let explanation = response.explanation else {
      throw Failure("the server does not explain queries")
    }
    if json { return say(json: explanation) }
    say("plan     \(explanation.plan)")
    say("index    \(explanation.index), \(explanation.ranges) ranges")
    for filter in explanation.remainingFilters { say("check    \(filter)") }
    say("read     \(explanation.entriesRead) entries, \(explanation.recordsRead) records")
    let more = response.continuationMarker == nil ? "" : ", and more follow"
    say("found    \(response.count ?? Int64(response.records.count)) records\(more)")
  }

  /// Sends the query, and repeats it while the server builds an index that the query needs. Each
  /// request builds a part of the index.
  ///
  /// - Throws: ``Failure``.
  private func send(
    _ request: QueryRecords.Request, on connection: Connection
  ) async throws -> QueryRecords.Response {
    let line = ProgressLine(now: Live.milliseconds)
    line.begin("waiting for the index", total: nil, unit: .seconds)
    defer { line.end() }
    while true {
      do {
        return try await connection.send(
          QueryRecords.self, request, to: database == .public ? .public : .private,
          isIdempotent: true)
      } catch {
        guard case .refused(let refusal, _, _) = error,
          refusal.reason == Reason.indexIsBeingBuilt
        else { throw Failure(Self.sentence(error)) }
      }
      line.advance(by: 1)
    }
  }

  private func readRequest() throws -> QueryRecords.Request {
    let bytes: [UInt8]
    if query == "-" {
      bytes = Array(FileHandle.standardInput.readDataToEndOfFile())
    } else if query.contains("{") {
      bytes = Array(query.utf8)
    } else {
      guard let data = FileManager.default.contents(atPath: query) else {
        throw Failure("there is no file '\(query)'; give a query as JSON, a file, or -")
      }
      bytes = Array(data)
    }
    if let request = try? QueryRecords.Request(jsonBytes: bytes) { return request }
    do {
      return QueryRecords.Request(query: try Query(jsonBytes: bytes), zoneID: nil)
    } catch {
      throw Failure("the query cannot be read: \(error.reason)")
    }
  }

  private func connect() throws -> Connection {
    let variables = ProcessInfo.processInfo.environment
    var settings = ServerSettings(
      url: url.flatMap(URL.init(string:)), container: container, environment: environment,
      apiToken: try apiTokenFile.map(Self.secret), webAuthToken: try webTokenFile.map(Self.secret)
    ).completed(by: ServerSettings(environmentVariables: variables))
    if let file = CredentialsFile.location(environmentVariables: variables),
      let stored = CredentialsFile.read(at: file)
    {
      settings = settings.completed(by: stored)
    }
    guard let url = settings.url else {
      throw Failure("no server is given; give --url or set STRATUS_URL")
    }
    guard let container = settings.container else {
      throw Failure("no container is given; give --container or set STRATUS_CONTAINER")
    }
    return Connection(
      to: .init(
        url: url.absoluteString.hasSuffix("/")
          ? String(url.absoluteString.dropLast()) : url.absoluteString,
        container: container, environment: settings.environment ?? .development,
        deviceID: "stratus-explain"),
      apiToken: settings.apiToken, webAuthToken: settings.webAuthToken,
      exchange: NetworkExchange(), timing: Self.timing)
  }

  /// Returns the contents of a file, without surrounding white space. Secrets are not on the
  /// command line, because other users of the machine can read it.
  ///
  /// - Throws: ``Failure``.
  private static func secret(in file: String) throws -> String {
    let data =
      file == "-"
      ? FileHandle.standardInput.readDataToEndOfFile()
      : FileManager.default.contents(atPath: file)
    guard let data, let text = String(data: data, encoding: .utf8) else {
      throw Failure("there is no token in '\(file)'; give its file, or - for standard input")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// NB: this timing has no clock and no randomness. The request has no time limit, and a single
  /// command need not retry at random times.
  private static let timing = Timing(
    now: { 0 }, sleep: { try await Task.sleep(for: .seconds($0)) }, chance: { 0.5 })

  private static func sentence(_ failure: TransportFailure) -> String {
    switch failure {
    case .refused(let error, _, _): "the server refused the query: \(error.reason)"
    case .unreadable(_, let reason, _): "the server's answer cannot be read: \(reason)"
    case .network: "no server answers; start it with 'stratus dev'"
    case .accountChanged: "another user has signed in; try again"
    }
  }
}
