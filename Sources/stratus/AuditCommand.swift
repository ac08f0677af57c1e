import ArgumentParser
import Foundation
import StratusWire

/// `stratus audit`.
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "List who changed which account, token, key, role, container and schema.",
    discussion: """
      The newest entry comes first. An entry contains names and IDs, and no contents. The server \
      removes entries after --audit-days (see 'stratus serve --help').
      """)

  @OptionGroup var server: ServerOptions

  @Option(help: "Show only the entries about this account.")
  var account: String?

  @Option(help: "The maximum number of entries, at most 1000.")
  var limit = 100

  @Option(help: "Show only the entries with smaller numbers, to continue an earlier list.")
  var before: Int64?

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try requireNumber(limit, in: 1...ListAuditEntries.limitMax, of: "--limit")
    let response = try await server.send(
      ListAuditEntries.self, .init(email: account, before: before, limit: limit))
    if json { return say(json: response) }
    for entry in response.entries { say(Self.line(entry)) }
  }

  private static func line(_ entry: ListAuditEntries.Item) -> String {
    let time = Date(timeIntervalSince1970: Double(entry.time) / 1_000)
      .formatted(Date.ISO8601FormatStyle())
    let actor = entry.member ?? entry.actor
    let place = entry.containerID.map { container in
      entry.environment.map { "\(container) (\($0))" } ?? container
    }
    return [String(entry.number), time, actor, entry.action, entry.account, place, entry.subject]
      .compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "  ")
  }
}
