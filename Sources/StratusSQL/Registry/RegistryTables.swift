public import StratusDomain
import StratusWire

/// The tables of the server's registry.
public enum RegistryTables {
  /// The version of the table layout.
  public static let layout: Int64 = 16

  /// The parameters for the upgrade of a file from an earlier version.
  public struct Upgrade: Sendable {
    /// Computes the SHA-256 digest of some bytes.
    let digest: @Sendable ([UInt8]) -> [UInt8]
    /// The time of the upgrade, in milliseconds since 1970 UTC.
    let now: Int64
    /// The lifetime of sessions from an earlier version, counted from the upgrade.
    let sessionMilliseconds: Int64

    public init(
      digest: @escaping @Sendable ([UInt8]) -> [UInt8], now: Int64, sessionMilliseconds: Int64
    ) {
      self.digest = digest
      self.now = now
      self.sessionMilliseconds = sessionMilliseconds
    }
  }

  /// Creates the tables if there are none, and upgrades tables of an earlier layout. Refuses tables
  /// of a later layout.
  ///
  /// The calling code opens and commits the transaction. Tables of layout 1 can be upgraded only if
  /// `upgrade` is not nil.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public static func prepare(
    on connection: any SQLConnection, upgrade: Upgrade?
  ) throws(ServerError) {
    try connection.define(
      """
      CREATE TABLE IF NOT EXISTS registry (
        layout BIGINT NOT NULL, version BIGINT NOT NULL DEFAULT 0);
      """)
    guard let found = try connection.first(readLayout, [], { $0.integer(0) }) else {
      try connection.define(accounts(connection.dialect))
      try connection.define(tokens(connection.dialect))
      try connection.define(secrets(connection.dialect))
      try connection.define(serverKeys(connection.dialect))
      try connection.define(signIn(connection.dialect))
      try connection.define(team(connection.dialect))
      try connection.define(mail(connection.dialect))
      try connection.define(factors(connection.dialect))
      try connection.define(signInSteps(connection.dialect))
      try connection.define(passkeys(connection.dialect))
      try connection.define(providerLinks(connection.dialect))
      try connection.define(audit(connection.dialect))
      try connection.define(consents(connection.dialect))
      try connection.define(profiles(connection.dialect))
      try connection.define(addresses(connection.dialect))
      try connection.define(removals(connection.dialect))
      try connection.define(installation(connection.dialect))
      try connection.execute(writeLayout, [.integer(layout)])
      return
    }
    if found == layout { return }
    guard (1..<layout).contains(found) else {
      var error = ServerError.fault(
        "it was written by a newer version of Stratus",
        facts: ["layout": String(found), "known": String(layout)])
      error.hint = "start that version, or a later one"
      throw error
    }
    try RegistryUpgrade.run(on: connection, from: found, upgrade)
    try connection.execute(setLayout, [.integer(layout)])
  }

  /// Replaces the list of stores in a copied registry with the stores that were also copied.
  ///
  /// A registry of layout 1 stays unchanged, because it has no list of stores.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public static func setStores(
    _ epochs: [StoreAddress: Int64], on connection: any SQLConnection
  ) throws(ServerError) {
    guard let found = try connection.first(readLayout, [], { $0.integer(0) }), found > 1 else {
      return
    }
    try connection.define("DELETE FROM stores;")
    try keepStores(epochs, on: connection)
  }

  /// Adds stores to the list of stores, or replaces their epochs. The other stores stay listed.
  ///
  /// - Throws: `INTERNAL_ERROR`, for example if the layout is 1.
  public static func keepStores(
    _ epochs: [StoreAddress: Int64], on connection: any SQLConnection
  ) throws(ServerError) {
    for (address, epoch) in epochs {
      try connection.execute(
        StoreStatements.keep,
        [.text(address.container), .text(address.environment.rawValue), .integer(epoch)])
    }
  }

  /// Returns the layout of the registry, or nil if the table `registry` has no row.
  ///
  /// - Throws: `INTERNAL_ERROR` if the registry cannot be read or has no tables.
  public static func foundLayout(on connection: any SQLConnection) throws(ServerError) -> Int64? {
    try connection.first(readLayout, []) { $0.integer(0) }
  }

  /// Returns the stores that the registry knows, with their epochs.
  ///
  /// - Throws: `INTERNAL_ERROR`, for example if the layout is 1.
  public static func stores(
    on connection: any SQLConnection
  ) throws(ServerError) -> [StoreAddress: Int64] {
    var stores: [StoreAddress: Int64] = [:]
    try connection.run(StoreStatements.list, []) { (row) throws(ServerError) in
      guard let environment = ContainerEnvironment(rawValue: row.text(1)) else {
        throw .fault("a store has an unknown environment")
      }
      stores[StoreAddress(container: row.text(0), environment: environment)] = row.integer(2)
      return true
    }
    return stores
  }

  private static let readLayout = SQLStatement("SELECT layout FROM registry")
  private static let writeLayout = SQLStatement("INSERT INTO registry (layout) VALUES (?)")
  private static let setLayout = SQLStatement("UPDATE registry SET layout = ?")

  private static func accounts(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE accounts (
      id \(dialect.text) PRIMARY KEY,
      email \(dialect.text) NOT NULL UNIQUE,
      disabled BIGINT NOT NULL);
    CREATE TABLE containers (
      id \(dialect.text) PRIMARY KEY);
    """
  }

  /// The tables that layout 2 has in addition to accounts and containers.
  static func tokens(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE api_tokens (
      hash \(dialect.bytes) NOT NULL PRIMARY KEY,
      id \(dialect.text) NOT NULL UNIQUE,
      container \(dialect.text) NOT NULL,
      environment \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      origins \(dialect.text),
      callback \(dialect.text),
      created_at BIGINT);
    CREATE TABLE sessions (
      id \(dialect.text) PRIMARY KEY,
      account \(dialect.text) NOT NULL,
      container \(dialect.text) NOT NULL,
      environment \(dialect.text) NOT NULL,
      created_at BIGINT NOT NULL,
      last_used_at BIGINT NOT NULL,
      ends_at BIGINT NOT NULL);
    CREATE TABLE users (
      container \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      account \(dialect.text) NOT NULL,
      PRIMARY KEY (container, name),
      UNIQUE (account, container));
    CREATE TABLE stores (
      container \(dialect.text) NOT NULL,
      environment \(dialect.text) NOT NULL,
      epoch BIGINT NOT NULL,
      PRIMARY KEY (container, environment));
    """
  }

  /// The table of the secrets that an earlier version stored. The secrets stay in this table until
  /// they are in the key file.
  private static func secrets(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE secrets (
      name \(dialect.text) PRIMARY KEY,
      value \(dialect.bytes) NOT NULL);
    """
  }
}
