public import StratusDomain

/// The tables of the server's own file.
public enum RegistryTables {
  /// Counts the forms these tables have had.
  static let layout: Int64 = 1

  /// Makes the tables where there are none, and refuses those of a later program.
  ///
  /// Runs inside a transaction that the caller opens and commits.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public static func prepare(on connection: any SQLConnection) throws(ServerError) {
    try connection.define("CREATE TABLE IF NOT EXISTS registry (layout BIGINT NOT NULL);")
    guard let found = try connection.first(readLayout, [], { $0.integer(0) }) else {
      try connection.define(text(connection.dialect))
      try connection.execute(writeLayout, [.integer(layout)])
      return
    }
    if found > layout {
      throw .fault(
        "the server's file was written by a newer version of Stratus",
        facts: ["layout": String(found), "known": String(layout)])
    }
  }

  private static let readLayout = SQLStatement("SELECT layout FROM registry")
  private static let writeLayout = SQLStatement("INSERT INTO registry (layout) VALUES (?)")

  private static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE accounts (
      id \(dialect.text) PRIMARY KEY,
      email \(dialect.text) NOT NULL UNIQUE,
      disabled BIGINT NOT NULL);
    CREATE TABLE containers (
      id \(dialect.text) PRIMARY KEY);
    CREATE TABLE api_tokens (
      token \(dialect.text) PRIMARY KEY,
      container \(dialect.text) NOT NULL,
      environment \(dialect.text) NOT NULL);
    CREATE TABLE sessions (
      id \(dialect.text) PRIMARY KEY,
      account \(dialect.text) NOT NULL,
      container \(dialect.text) NOT NULL,
      environment \(dialect.text) NOT NULL);
    CREATE TABLE secrets (
      name \(dialect.text) PRIMARY KEY,
      value \(dialect.bytes) NOT NULL);
    """
  }
}
