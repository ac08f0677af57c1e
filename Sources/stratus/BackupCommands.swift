import ArgumentParser
import Foundation
import StratusProgress
import StratusServer

/// `stratus backup`: copies a server's data, even while the server is running.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a server's data into a folder. The server may be running.",
    discussion: """
      The folder contains everything except the server's keys, which --keys copies, the request \
      log, and files in S3. Without the keys, all users must sign in again after a restore. \
      Restore the folder with "stratus restore". Never start a server on a copy, because devices \
      would miss changes. With --verify, the command reads an existing backup and compares every \
      file with its checksum.

      With --postgres, the command copies an installation in PostgreSQL, whose servers may be \
      running. The backup has the same form, so it can also be restored into a data folder. It \
      contains the journal of removals of the server on --data only.
      """)

  @Argument(help: "The folder to create, or to check.")
  var folder: String

  @OptionGroup var data: DataOption

  @Option(
    help: """
      A file to create for the server's keys, which the folder does not contain. Do not store \
      this file with the folder.
      """)
  var keys: String?

  @Option(
    help: """
      An earlier backup on the same disk. Files that have not changed since then are not copied \
      again, and both backups are complete.
      """)
  var since: String?

  @Flag(help: "Check the backup instead of making one.")
  var verify = false

  @OptionGroup(title: "PostgreSQL")
  var postgres: PostgresPlaceOptions

  func run() async throws {
    umask(0o077)
    let target = URL(fileURLWithPath: folder)
    if verify { return try check(target) }
    let place = try postgres.place(data: data)
    let keys = keys.map { URL(fileURLWithPath: $0) }
    let since = since.map { URL(fileURLWithPath: $0) }
    let summary = try withProgress("copying") { show -> Backup.Summary in
      if let place {
        return try Backup.make(
          of: place, at: target, keys: keys, since: since, onProgress: show)
      }
      return try Backup.make(
        of: data.url, at: target, keys: keys, since: since, onProgress: show)
    }
    // NB: all nodes find the shared folder, so the doctor can run on any of them.
    BackupHistory(of: place?.shared ?? data.url).note(target)
    try summary.report(in: folder)
  }

  private func check(_ target: URL) throws {
    if keys != nil || since != nil {
      throw Failure("--verify checks a backup; leave out --keys and --since")
    }
    if postgres.postgres != nil { throw Failure("--verify checks a backup; leave out --postgres") }
    let found = try withProgress("checking") { show in
      try Backup.verify(target, onProgress: show)
    }
    for name in found.missingFiles { complain("missing when the backup was made: \(name)") }
    if found.problems.isEmpty {
      let time = UTCTime.text(found.begunAt)
      return say("intact: stores \(found.storesCount), files \(found.filesCount), of \(time)")
    }
    for problem in found.problems { complain(problem) }
    throw Failure(
      "\(folder) has missing or damaged files: \(found.problems.count); make another backup")
  }
}

/// `stratus restore`: creates a server's data from a backup.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Create a server's data folder from a backup.",
    discussion: """
      Stop the server and move its data folder away first. The backup is not changed. After a \
      restore, devices fetch all their data again. If the bytes of assets are in a bucket, and the \
      restored server replaces a lost one, run "stratus assets claim" before its start.

      With --postgres, the command restores into an empty PostgreSQL database and an empty folder \
      --shared. It makes a temporary folder beside --shared, which needs space for all data. \
      The folder --data gets only the journal of removals, and the name of the S3 bucket if there \
      is one. The server that starts first applies the removals, and other servers wait for it.
      """)

  @Argument(help: "A folder from \"stratus backup\", or a snapshot of a data folder.")
  var folder: String

  @OptionGroup var data: DataOption

  @Option(help: "The file of the server's keys that \"stratus backup --keys\" created.")
  var keys: String?

  @Option(
    help: """
      The journal of removals: the file "removals.log" of the lost data folder, or of a later \
      backup. Accounts, sessions and rights that were removed after the backup are removed again.
      """)
  var removals: String?

  @Flag(help: "Restore what was removed after the backup, too, such as deleted accounts.")
  var noRemovals = false

  @OptionGroup(title: "PostgreSQL")
  var postgres: PostgresPlaceOptions

  func run() async throws {
    if removals != nil, noRemovals { throw Failure("give --removals or --no-removals, not both") }
    umask(0o077)
    let source: Backup.RemovalSource =
      noRemovals
      ? .none
      : removals.map { Backup.RemovalSource.file(URL(fileURLWithPath: $0)) } ?? .backup
    let place = try postgres.place(data: data)
    if place != nil, !data.isNamed {
      throw Failure("--postgres needs --data, the folder that gets the journal of removals")
    }
    if place != nil, postgres.assets != nil {
      throw Failure("a backup names its bucket itself; leave out --assets")
    }
    let backup = URL(fileURLWithPath: folder)
    let keys = keys.map { URL(fileURLWithPath: $0) }
    let summary = try withProgress("restoring") { show -> Backup.Summary in
      if let place {
        return try Backup.restore(
          backup, to: place, keys: keys, removals: source, onProgress: show)
      }
      return try Backup.restore(
        backup, to: data.url, keys: keys, removals: source, onProgress: show)
    }
    if summary.laterRemovalsCount > 0 {
      say("removals after the backup: \(summary.laterRemovalsCount); the server applies them")
    }
    if source == .backup {
      complain(
        "accounts that were deleted and sessions that were revoked after the backup exist again; "
          + "give --removals FILE to remove them, or --no-removals")
    }
    try summary.report(in: place == nil ? data.folder : "PostgreSQL")
    if let bucket = summary.assetsPlace {
      complain(
        "if the restored server replaces a lost one, run 'stratus assets claim --yes' "
          + "with \(bucket) before you start it")
    }
  }
}

/// Copies or checks data, and shows the progress if standard error is a terminal.
private func withProgress<Result>(
  _ verb: String, _ copy: (@escaping (Backup.Progress) -> Void) throws -> Result
) throws -> Result {
  let line = ProgressLine(now: Live.milliseconds)
  line.begin(verb, total: nil, unit: .bytes)
  defer { line.end() }
  return try copy { progress in
    line.rename("\(verb) \(progress.title)")
    line.advance(to: progress.doneBytes, of: progress.totalBytes)
  }
}

extension Backup.Summary {
  /// Prints the result of the copy.
  ///
  /// - Throws: `Failure` if files are missing.
  fileprivate func report(in folder: String) throws {
    let isFirst = sharedStoresCount == 0 && sharedFilesCount == 0
    let shared =
      isFirst ? "" : ", unchanged: stores \(sharedStoresCount), files \(sharedFilesCount)"
    say("stores \(storesCount), files \(filesCount)\(shared), in \(folder)")
    if let assetsPlace {
      complain("the bytes of assets are in \(assetsPlace), and \(folder) does not contain them")
    }
    guard let first = missingFiles.first else { return }
    throw Failure(
      """
      all other data was copied, but files of records are missing or damaged: \
      \(missingFiles.count), the first \(first)
      """)
  }
}
