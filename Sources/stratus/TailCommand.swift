import ArgumentParser
import StratusServer
import StratusWire

/// `stratus tail`: shows the requests of apps as they arrive.
struct TailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tail",
    abstract: "Show the newest requests of apps, and each further request as it arrives.",
    discussion: """
      Each line has the time (UTC), the outcome, the duration, the container, the environment, the \
      database, the endpoint, the request's ID, and the form of a query without its values. A \
      server that has neither a console nor --request-log-days keeps requests only while this \
      command runs. Ctrl-C ends the command.
      """)

  /// The time between two requests for new entries.
  private static let pause = Duration.milliseconds(500)

  @OptionGroup var server: ServerOptions

  @Option(help: "Only requests to this container.")
  var container: String?

  @Option(help: "Only requests to this environment.")
  var environment: ContainerEnvironment?

  @Option(help: "Only requests to this endpoint, for example records/query.")
  var endpoint: String?

  @Option(help: "Only requests with this outcome: ok, failed, or an error code.")
  var outcome: String?

  @Option(help: "Only requests of the user with this user record name.")
  var user: String?

  @Option(help: "Only requests that took at least this number of milliseconds.")
  var slowerThan: Int64?

  @Option(help: "The number of earlier requests to show first.")
  var lines: Int64 = 10

  @Flag(help: "Show the earlier requests only, and end.")
  var once = false

  @Flag(help: "Print one JSON object a line.")
  var json = false

  func run() async throws {
    try requireNumber(lines, in: 0...1_000, of: "--lines")
    var request = ListRequests.Request(
      containerID: container, environment: environment, endpoint: endpoint, outcome: outcome,
      userRecordName: user, millisecondsMin: slowerThan, resultsLimit: max(lines, 1),
      follows: !once)
    let first = try await server.send(ListRequests.self, request)
    for entry in first.requests.prefix(Int(lines)).reversed() { show(entry) }
    request.resultsLimit = 1_000
    request.after = first.after
    while !once, !Task.isCancelled {
      let next = try await server.send(ListRequests.self, request)
      if let skipped = next.skippedCount, skipped > 0 {
        complain("\(skipped) requests came too fast to be shown")
      }
      for entry in next.requests { show(entry) }
      if next.after == request.after || next.requests.count < 1_000 {
        try await Task.sleep(for: Self.pause)
      }
      request.after = next.after
    }
  }

  private func show(_ entry: RequestEntry) {
    if json { return say(json: entry) }
    say(Self.line(entry))
  }

  /// Returns an entry as one line.
  static func line(_ entry: RequestEntry) -> String {
    var parts = [
      UTCTime.text(entry.time), entry.outcome, "\(entry.milliseconds) ms",
      Self.shown(entry.containerID), entry.environment.rawValue, entry.database.rawValue,
      entry.endpoint, entry.requestID,
    ]
    if let query = entry.query { parts.append(query) }
    if let reason = entry.reason { parts.append("(\(Self.shown(reason)))") }
    if let plan = entry.plan {
      parts.append(
        "[\(plan.plan) \(plan.index); \(plan.entriesRead) entries, \(plan.recordsRead) records]")
    }
    return parts.joined(separator: "  ")
  }

  /// Replaces control characters, so that a request cannot control the terminal.
  private static func shown(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
  }
}
