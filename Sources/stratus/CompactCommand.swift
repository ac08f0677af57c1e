import ArgumentParser
import Foundation
import StratusServer

/// `stratus compact`: makes the files of a stopped server smaller.
struct CompactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Return all unused disk space of a server's data to the system.",
    discussion: """
      Stop the server first. A running server returns the space of large deletions by itself, but \
      not in files that version 0.1 created. For such files, run this command once. It writes a \
      new file beside each old one, so the disk needs free space for the largest file. An \
      interrupted run loses nothing. Asset files that no record uses are removed by the running \
      server after a day.
      """)

  @OptionGroup var data: DataOption

  func run() async throws {
    umask(0o077)
    let items = try Compaction.run(on: data.url) { complain("compacting \($0)") }
    for item in items {
      say("\(item.title): \(Self.size(item.before)) before, \(Self.size(item.after)) after")
    }
  }

  private static func size(_ bytes: Int64) -> String {
    // The size is rounded up, so that no file seems to be empty.
    "\((bytes + 1_023) / 1_024) KiB"
  }
}
