import ArgumentParser
import Foundation
import StratusServer

/// The options for an installation in PostgreSQL, for commands that read or create it without a
/// running server.
struct PostgresPlaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Use the installation in this PostgreSQL cluster instead of a data folder. The password comes \
      from ~/.pgpass or from the variable PGPASSWORD.
      """,
      valueName: "postgres://user@host/database"))
  var postgres: String?

  @Option(
    help: ArgumentHelp(
      """
      The folder of the keys and of the bytes of assets that the servers on PostgreSQL share. The \
      default is the data folder.
      """,
      valueName: "folder"))
  var shared: String?

  @Option(
    help: ArgumentHelp(
      """
      The S3 bucket with the bytes of assets. The default is the bucket that the server on the \
      data folder used.
      """,
      valueName: "s3://bucket/prefix"))
  var assets: String?

  /// Returns the installation, or nil if the command concerns a data folder.
  ///
  /// - Parameter usesAssets: whether the command uses the bucket of a data folder, too.
  /// - Throws: `Failure` for options that cannot be used.
  func place(data: DataOption, usesAssets: Bool = false) throws -> PostgresPlace? {
    guard let postgres else {
      if shared != nil { throw Failure("--shared needs --postgres") }
      if assets != nil, !usesAssets { throw Failure("--assets needs --postgres") }
      return nil
    }
    guard postgres.hasPrefix("postgres://") || postgres.hasPrefix("postgresql://") else {
      throw Failure("--postgres needs an address that begins with postgres://")
    }
    return PostgresPlace(
      url: postgres, shared: shared.map { URL(fileURLWithPath: $0) } ?? data.url,
      assets: try bucket(), data: data.url)
  }

  /// Returns the access to the bucket of `--assets`, or nil without this option.
  ///
  /// - Throws: `Failure` for an address that cannot be used.
  func bucket() throws -> S3Access? {
    guard let assets else { return nil }
    do throws(S3Unusable) {
      return try S3Access(url: assets, environment: ProcessInfo.processInfo.environment)
    } catch {
      throw Failure(error.description)
    }
  }
}
