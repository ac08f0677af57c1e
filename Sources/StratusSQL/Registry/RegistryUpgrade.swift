import StratusDomain

/// Upgrades a registry of an earlier layout. The upgrade runs in the transaction that prepares the
/// tables when the registry is opened.
enum RegistryUpgrade {
  /// Upgrades the registry from the layout `found` to the current one.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  static func run(
    on connection: any SQLConnection, from found: Int64, _ upgrade: RegistryTables.Upgrade?
  ) throws(ServerError) {
    if found < 2 {
      guard let upgrade else { throw .fault("the registry has layout 1 and was not upgraded") }
      try addTokens(on: connection, upgrade)
    }
    if found < 3 { try addVersion(on: connection) }
    if found < 4 { try connection.define(RegistryTables.serverKeys(connection.dialect)) }
    if found < 5 { try connection.define(RegistryTables.signIn(connection.dialect)) }
    if found < 6 { try connection.define(RegistryTables.team(connection.dialect)) }
    if found < 7 {
      try connection.define(RegistryTables.mail(connection.dialect))
      try connection.define(RegistryTables.factors(connection.dialect))
    }
    if found < 8 { try connection.define(RegistryTables.signInSteps(connection.dialect)) }
    if found < 9 { try connection.define(RegistryTables.passkeys(connection.dialect)) }
    if found < 10 { try connection.define(RegistryTables.providerLinks(connection.dialect)) }
    if found < 11 { try connection.define(RegistryTables.audit(connection.dialect)) }
    if found < 12 { try connection.define(RegistryTables.consents(connection.dialect)) }
    if found < 13 { try connection.define(RegistryTables.removals(connection.dialect)) }
    if found < 14 { try connection.define(RegistryTables.profiles(connection.dialect)) }
    if found < 15 { try connection.define(RegistryTables.addresses(connection.dialect)) }
    if found < 16 { try connection.define(RegistryTables.installation(connection.dialect)) }
  }

  /// Upgrades to layout 3, in which the registry counts the changes that other processes must
  /// notice.
  private static func addVersion(on connection: any SQLConnection) throws(ServerError) {
    try connection.define("ALTER TABLE registry ADD COLUMN version BIGINT NOT NULL DEFAULT 0;")
  }

  /// Upgrades to layout 2, with hashes of tokens, times of sessions, and tables of users and
  /// stores.
  private static func addTokens(
    on connection: any SQLConnection, _ upgrade: RegistryTables.Upgrade
  ) throws(ServerError) {
    try connection.define(
      """
      ALTER TABLE api_tokens RENAME TO api_tokens_before;
      ALTER TABLE sessions RENAME TO sessions_before;
      \(RegistryTables.tokens(connection.dialect))
      """)
    try hashTokens(on: connection, upgrade)
    // Choice: the lifetime of an earlier version's sessions begins at the upgrade, because the
    // earlier version did not record their start.
    try connection.execute(
      UpgradeStatements.moveSessions,
      [
        .integer(upgrade.now), .integer(upgrade.now),
        .integer(upgrade.now + upgrade.sessionMilliseconds),
      ])
    try connection.define("DROP TABLE api_tokens_before; DROP TABLE sessions_before;")
  }

  /// Replaces the tokens by their hashes, so that the registry no longer contains the tokens.
  private static func hashTokens(
    on connection: any SQLConnection, _ upgrade: RegistryTables.Upgrade
  ) throws(ServerError) {
    let tokens = try connection.all(UpgradeStatements.tokens, []) {
      (text: $0.text(0), container: $0.text(1), environment: $0.text(2))
    }
    for token in tokens {
      let hash = upgrade.digest(Array(token.text.utf8))
      try connection.execute(
        UpgradeStatements.keepToken,
        [
          .bytes(hash), .text(tokenID(hash: hash)), .text(token.container),
          .text(token.environment),
        ])
    }
  }

  /// Returns the ID of a token (see ``APIToken/id``). The ID is the first eight bytes of the hash
  /// in hexadecimal digits, as for new tokens.
  private static func tokenID(hash: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: hash.prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self)
  }
}

private enum UpgradeStatements {
  static let tokens = SQLStatement(
    "SELECT token, container, environment FROM api_tokens_before")
  static let keepToken = SQLStatement(
    """
    INSERT INTO api_tokens (hash, id, container, environment, name) VALUES (?, ?, ?, ?, '')
    """)
  static let moveSessions = SQLStatement(
    """
    INSERT INTO sessions (id, account, container, environment, created_at, last_used_at, ends_at)
    SELECT id, account, container, environment, ?, ?, ? FROM sessions_before
    """)
}
