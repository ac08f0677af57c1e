import ArgumentParser
import StratusWire

/// `stratus schema indexes`.
struct IndexesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "indexes",
    abstract: "List the indexes with their state and use, drop indexes, or cancel an index build.",
    discussion: """
      The server builds an index when a query needs it, even if the index was dropped before. The \
      server drops an index that no query has read for 14 days. After the list, the command prints \
      advice about queries that lack an index, and about indexes that no query has read for a week.
      """)

  @OptionGroup var server: ServerOptions

  @Option(help: "The container's ID.")
  var container: String

  @Option(help: "The environment: development or production.")
  var environment: ContainerEnvironment

  @Option(help: "Cancel the build of the index with this number.")
  var cancel: Int64?

  @Option(help: "Drop the ready index with this number.")
  var drop: Int64?

  @Flag(help: "Drop the ready indexes that no query has read since the server was started.")
  var dropUnused = false

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    if let cancel { return try await remove(cancel, cancelsBuild: true) }
    if let drop { return try await remove(drop, cancelsBuild: false) }
    let response = try await server.send(
      ListIndexes.self, .init(containerID: container, environment: environment))
    if dropUnused {
      for index in response.indexes where index.state == .ready && index.uses == 0 {
        try await remove(index.id, cancelsBuild: false)
        say("dropped \(index.id) \(index.recordType) \(index.columns.joined(separator: ", "))")
      }
      return
    }
    if json { return say(json: response) }
    for index in response.indexes { say(index.line) }
    for advice in response.advice { say(advice.lines) }
  }

  private func remove(_ index: Int64, cancelsBuild: Bool) async throws {
    _ = try await server.send(
      DropIndex.self,
      .init(
        containerID: container, environment: environment, index: index,
        cancelsBuild: cancelsBuild))
  }
}

extension ListIndexes.Advice {
  fileprivate var lines: String {
    let subject: String
    switch kind {
    case .unusedIndex: subject = "unused index \(index ?? 0) of \(recordType)"
    case .noIndex, .costlyQuery:
      let word = kind == .noIndex ? "without index" : "costly"
      let sort = sorts.isEmpty ? "" : ", sorted by " + sorts.joined(separator: ", ")
      subject =
        "\(word): \(queries) queries of \(recordType) "
        + "(\(filters.isEmpty ? "all" : filters.joined(separator: ", "))\(sort)) read "
        + "\(recordsRead) records and found \(recordsFound)"
    }
    return "\(subject)\n  \(sentence)"
  }
}

extension ListIndexes.Item {
  fileprivate var line: String {
    let name = "\(id) \(recordType) (\(columns.joined(separator: ", ")))"
    switch state {
    case .building:
      let (done, total) = (rowsDone ?? 0, rowsTotal ?? 0)
      let percent = total > 0 ? min(100, done * 100 / total) : 0
      return "\(name) building \(percent) %: \(done) of \(total) records"
    case .ready:
      let last = lastUsedDay.map { "last used \(ToolTime.date($0))" } ?? "no use noted"
      return "\(name) ready, \(uses) uses since the start, \(last)"
    }
  }
}
