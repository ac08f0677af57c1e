public import StratusDomain
public import StratusWire

extension SQLRegistry {
  public func installationID(orKeep id: String) async throws(ServerError) -> String {
    let known = try await engine.read { (session) throws(ServerError) -> String? in
      try session.connection.first(InstallationStatements.read, []) { $0.text(0) }
    }
    if let known { return known }
    return try await engine.write { (session) throws(ServerError) -> String in
      try session.connection.execute(InstallationStatements.keep, [.text(id)])
      return try session.connection.first(InstallationStatements.read, []) { $0.text(0) } ?? id
    }
  }

  public func pendingRemovals() async throws(ServerError) -> [RemovalEntry] {
    try await engine.read { (session) throws(ServerError) -> [RemovalEntry] in
      var entries: [RemovalEntry] = []
      try session.connection.run(PendingStatements.list, []) { (row) throws(ServerError) in
        do throws(WireError) { entries.append(try RemovalEntry(jsonBytes: row.bytes(0))) } catch {
          throw .fault("a removal of a restored backup cannot be read")
        }
        return true
      }
      return entries
    }
  }

  public func forgetPendingRemovals() async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(PendingStatements.delete, [])
    }
  }
}

extension RegistryTables {
  /// The first layout with the tables of ``installation(_:)``.
  private static let installationLayout: Int64 = 16

  /// The tables that layout 16 has in addition: the ID of the installation, and the removals that
  /// were read from a journal during a restore, and that a server must apply.
  static func installation(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE installation (
      number BIGINT PRIMARY KEY,
      id \(dialect.text) NOT NULL);
    CREATE TABLE pending_removals (
      number BIGINT PRIMARY KEY,
      entry \(dialect.bytes) NOT NULL);
    """
  }

  /// Removes the ID of the installation, because it begins a new history. The next server gives the
  /// installation a new ID. A registry of an earlier layout has no ID.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public static func forgetInstallation(on connection: any SQLConnection) throws(ServerError) {
    guard let found = try foundLayout(on: connection), found >= installationLayout else { return }
    try connection.execute(InstallationStatements.delete, [])
  }

  /// Returns the ID of the installation, or nil if no server has given it one yet.
  ///
  /// - Throws: `INTERNAL_ERROR` if the registry cannot be read.
  public static func installationID(
    on connection: any SQLConnection
  ) throws(ServerError) -> String? {
    guard let found = try foundLayout(on: connection), found >= installationLayout else {
      return nil
    }
    return try connection.first(InstallationStatements.read, []) { $0.text(0) }
  }

  /// Adds entries of a journal that the next server must apply. See
  /// ``RemovalRegistry/pendingRemovals()``.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public static func addPending(
    _ entries: [RemovalEntry], on connection: any SQLConnection
  ) throws(ServerError) {
    var number = try connection.first(PendingStatements.last, []) { $0.integer(0) } ?? 0
    for entry in entries {
      number += 1
      try connection.execute(
        PendingStatements.add, [.integer(number), .bytes(entry.jsonBytes)])
    }
  }
}

private enum InstallationStatements {
  static let read = SQLStatement("SELECT id FROM installation WHERE number = 1")
  static let keep = SQLStatement(
    "INSERT INTO installation (number, id) VALUES (1, ?) ON CONFLICT (number) DO NOTHING")
  static let delete = SQLStatement("DELETE FROM installation")
}

private enum PendingStatements {
  static let list = SQLStatement("SELECT entry FROM pending_removals ORDER BY number")
  static let last = SQLStatement("SELECT COALESCE(MAX(number), 0) FROM pending_removals")
  static let add = SQLStatement("INSERT INTO pending_removals (number, entry) VALUES (?, ?)")
  static let delete = SQLStatement("DELETE FROM pending_removals")
}
