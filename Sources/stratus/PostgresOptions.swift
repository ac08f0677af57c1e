import ArgumentParser
import Foundation
import StratusServer

/// The options for stores in PostgreSQL.
struct PostgresOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Keep accounts and records in this PostgreSQL cluster, which several servers may share. The \
      password comes from ~/.pgpass or from the variable PGPASSWORD. The machine needs the library \
      libpq.so.5. A program that is not from a package must have been built with 'swift build \
      --traits Postgres'.
      """,
      valueName: "postgres://user@host/database"))
  var postgres: String?

  @Flag(
    help: """
      Start although a failover of PostgreSQL may lose acknowledged writes. All change tokens \
      then expire with each failover.
      """)
  var postgresAllowLoss = false

  @Option(
    help: ArgumentHelp(
      """
      The folder of the server's keys and of the bytes of assets, if several servers share them. \
      The default is the data folder. Each server needs a data folder of its own.
      """,
      valueName: "folder"))
  var shared: String?

  /// - Throws: `Failure` for options that cannot be used.
  func access() throws -> PostgresAccess? {
    guard let postgres else {
      if postgresAllowLoss { throw Failure("--postgres-allow-loss needs --postgres") }
      if shared != nil { throw Failure("--shared needs --postgres") }
      return nil
    }
    guard postgres.hasPrefix("postgres://") || postgres.hasPrefix("postgresql://") else {
      throw Failure("--postgres needs an address that begins with postgres://")
    }
    return PostgresAccess(
      url: postgres, allowsLoss: postgresAllowLoss,
      sharedFolder: shared.map { URL(fileURLWithPath: $0, isDirectory: true) })
  }
}
