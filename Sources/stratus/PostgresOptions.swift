import ArgumentParser
import StratusServer

/// The options for stores in PostgreSQL.
struct PostgresOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Keep accounts and records in this PostgreSQL cluster, which several servers may share. The \
      password comes from ~/.pgpass or from the variable PGPASSWORD.
      """,
      valueName: "postgres://user@host/database"))
  var postgres: String?

  @Flag(
    help: """
      Start although a failover of PostgreSQL may lose acknowledged writes. All change tokens \
      then expire with each failover.
      """)
  var postgresAllowLoss = false

  /// - Throws: `Failure` for options that cannot be used.
  func access() throws -> PostgresAccess? {
    guard let postgres else {
      if postgresAllowLoss { throw Failure("--postgres-allow-loss needs --postgres") }
      return nil
    }
    guard postgres.hasPrefix("postgres://") || postgres.hasPrefix("postgresql://") else {
      throw Failure("--postgres needs an address that begins with postgres://")
    }
    return PostgresAccess(url: postgres, allowsLoss: postgresAllowLoss)
  }
}
