import ArgumentParser
import Foundation
import StratusProgress
import StratusServer

/// `stratus copy`: moves containers between a data folder and PostgreSQL.
struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Move containers between a data folder and PostgreSQL.",
    discussion: """
      Stop all servers first. The command copies all containers with their accounts, tokens, keys \
      and assets, and then compares the copy with its source. The target must be empty. After an \
      interruption, run the command again. Change tokens stay valid for the copy, and expire for \
      the source. With --new-history, they stay valid for the source, and expire for the copy. The \
      one with the valid tokens keeps the S3 bucket, which the other one cannot use any more. The \
      password of PostgreSQL comes from ~/.pgpass or from the variable PGPASSWORD.

      With --container, the command copies only these containers and what belongs to them: their \
      users' accounts and sessions, API tokens, server keys, and the members of the team who are \
      limited to them. The source keeps all its data, and its other containers keep their change \
      tokens. The copy has the same keys as the source, so an operator of one of them can make \
      tokens for the other until both have new keys (see "stratus web-token rotate-key"). \
      Containers cannot be added to an installation that exists.
      """)

  @Option(help: ArgumentHelp("The source.", valueName: "folder or postgres://..."))
  var from: String

  @Option(help: ArgumentHelp("The target.", valueName: "folder or postgres://..."))
  var to: String

  @Option(
    help: ArgumentHelp(
      """
      The folder of the keys and of the bytes of assets that the servers on PostgreSQL share. See \
      "stratus serve --shared".
      """,
      valueName: "folder"))
  var shared: String

  @Option(
    help: ArgumentHelp(
      """
      The S3 bucket in which the servers on PostgreSQL keep the bytes of assets. The command does \
      not move these bytes.
      """,
      valueName: "s3://bucket"))
  var assets: String?

  @Option(
    help: """
      The ID of a container to copy, in both environments. The option may be given several times. \
      Default: all containers.
      """)
  var container: [String] = []

  @Flag(help: "Keep the change tokens valid for the source, for example to try out the copy.")
  var newHistory = false

  func run() async throws {
    umask(0o077)
    let line = ProgressLine(now: Live.milliseconds)
    line.begin("copying", total: nil, unit: .count("rows"))
    let summary: InstallationCopy.Summary
    do {
      defer { line.end() }
      let access = try assets.map {
        try S3Access(url: $0, environment: ProcessInfo.processInfo.environment)
      }
      summary = try InstallationCopy.run(
        from: Self.place(from), to: Self.place(to), shared: URL(fileURLWithPath: shared),
        assets: access, containers: container.isEmpty ? nil : Set(container),
        history: newHistory ? .begunAnew : .moved
      ) { progress in
        line.rename("copying \(progress.title)")
        line.advance(to: progress.doneRows, of: progress.totalRows)
      }
    }
    say("stores \(summary.storesCount), rows \(summary.rowsCount), files \(summary.filesCount)")
    if let place = summary.assetsPlace {
      complain("the bytes of assets stay in \(place): start the servers with --assets")
    }
    guard let first = summary.missingFiles.first else { return }
    throw Failure(
      """
      all was copied but files that are missing or damaged in the source: \
      \(summary.missingFiles.count), the first \(first)
      """)
  }

  private static func place(_ text: String) -> InstallationCopy.Place {
    let isPostgres = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    return isPostgres ? .postgres(text) : .folder(URL(fileURLWithPath: text))
  }
}
