import ArgumentParser
import Foundation
import StratusServer

/// `stratus key-file`: examines, copies and restores the server's own keys.
struct KeyFileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key-file",
    abstract: "Examine, copy and restore the server's own keys.",
    discussion: """
      A backup of the data does not contain these keys. After a restore without them, all users \
      must sign in again, and their passkeys and authenticator apps do not work any more. The \
      commands print no key.
      """,
    subcommands: [Show.self, Backup.self, Verify.self, Restore.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the keys by purpose, number and digest.")

    @OptionGroup var data: DataOption

    func run() async throws {
      for item in try KeyBackup.items(ofFile: KeyBackup.file(in: data.url)) { say(item.line) }
    }
  }

  struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy the keys into a new file. The server may be running.",
      discussion: "Do not store the file with the backups of the data.")

    @Argument(help: "The file to create.")
    var file: String

    @OptionGroup var data: DataOption

    func run() async throws {
      umask(0o077)
      try KeyBackup.copy(of: data.url, to: URL(fileURLWithPath: file))
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check whether a copy contains the present keys.",
      discussion: "The exit status is 1 if the copy is older than the newest rotation.")

    @Argument(help: "The copy of the keys.")
    var file: String

    @OptionGroup var data: DataOption

    func run() async throws {
      let copied = try KeyBackup.items(ofFile: URL(fileURLWithPath: file))
      let present = try KeyBackup.items(ofFile: KeyBackup.file(in: data.url))
      let missing = present.filter { !copied.contains($0) }
      guard let first = missing.first else { return say("the copy has all keys: \(present.count)") }
      throw Failure(
        "the copy lacks keys: \(missing.count), the first \(first.purpose) \(first.number); make "
          + "a new copy with 'stratus key-file backup'")
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put a copy of the keys into a data folder that has no keys.",
      discussion: "Stop the server first. Then start it again.")

    @Argument(help: "The copy of the keys.")
    var file: String

    @OptionGroup var data: DataOption

    func run() async throws {
      umask(0o077)
      try KeyBackup.restore(URL(fileURLWithPath: file), to: data.url)
    }
  }
}

extension KeyBackup.Item {
  /// The line that `stratus key-file show` prints.
  fileprivate var line: String { "\(purpose) \(number) \(digest)" }
}
