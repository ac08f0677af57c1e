public import StratusDomain
import StratusWire

extension SQLRegistry {
  /// NB: a plain `INSERT` fails if the ID exists already. An upsert would replace another key.
  public func create(_ key: ServerKey) async throws(ServerError) {
    let values: [SQLValue] = [
      .text(key.id), .bytes(key.publicKey), .text(key.store.container),
      .text(key.store.environment.rawValue), .text(key.name), .text(key.userRecordName),
      .integer(key.createdAt), key.revokedAt.map { .integer($0) } ?? .null,
    ]
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(ServerKeyStatements.insert, values)
    }
  }

  public func serverKey(id: String) async throws(ServerError) -> ServerKey? {
    try await engine.read { (session) throws(ServerError) in
      let found = try session.connection.first(
        ServerKeyStatements.find, [.text(id)], ServerKeyRow.init(row:))
      guard let found else { return nil }
      return try session.serverKey(found)
    }
  }

  public func serverKeys() async throws(ServerError) -> [ServerKey] {
    try await engine.read { (session) throws(ServerError) in
      let rows = try session.connection.all(ServerKeyStatements.list, [], ServerKeyRow.init(row:))
      var keys: [ServerKey] = []
      for row in rows { keys.append(try session.serverKey(row)) }
      return keys
    }
  }

  public func revokeServerKey(id: String, at time: Int64) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.advanceVersion()
      return try session.connection.execute(
        ServerKeyStatements.revoke, [.integer(time), .text(id)]) == 1
    }
  }

  public func usersOfRevokedKeys(in container: String) async throws(ServerError) -> [String] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(ServerKeyStatements.revokedUsers, [.text(container)]) {
        $0.text(0)
      }
    }
  }
}

extension RegistryTables {
  /// The table of server-to-server keys, added with layout 4.
  static func serverKeys(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE server_keys (
      id \(dialect.text) PRIMARY KEY,
      public_key \(dialect.bytes) NOT NULL,
      container \(dialect.text) NOT NULL,
      environment \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      user_name \(dialect.text) NOT NULL,
      created_at BIGINT NOT NULL,
      revoked_at BIGINT);
    CREATE INDEX server_keys_by_container ON server_keys (container);
    """
  }
}

extension RegistrySession {
  fileprivate func serverKey(_ row: ServerKeyRow) throws(ServerError) -> ServerKey {
    ServerKey(
      id: row.id, publicKey: row.publicKey,
      store: try storeAddress(container: row.container, environment: row.environment),
      name: row.name, userRecordName: row.userRecordName, createdAt: row.createdAt,
      revokedAt: row.revokedAt)
  }
}

private struct ServerKeyRow {
  let id: String
  let publicKey: [UInt8]
  let container: String
  let environment: String
  let name: String
  let userRecordName: String
  let createdAt: Int64
  let revokedAt: Int64?

  init(row: any SQLRow) {
    id = row.text(0)
    publicKey = row.bytes(1)
    container = row.text(2)
    environment = row.text(3)
    name = row.text(4)
    userRecordName = row.text(5)
    createdAt = row.integer(6)
    revokedAt = row.isNull(7) ? nil : row.integer(7)
  }
}

private enum ServerKeyStatements {
  private static let columns =
    "id, public_key, container, environment, name, user_name, created_at, revoked_at"
  static let insert = SQLStatement(
    "INSERT INTO server_keys (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  static let find = SQLStatement("SELECT \(columns) FROM server_keys WHERE id = ?")
  static let list = SQLStatement(
    "SELECT \(columns) FROM server_keys ORDER BY container, environment, created_at, id")
  static let revoke = SQLStatement(
    "UPDATE server_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL")
  static let revokedUsers = SQLStatement(
    "SELECT user_name FROM server_keys WHERE container = ? AND revoked_at IS NOT NULL")
}
