public import StratusDomain
import StratusWire

extension SQLRegistry {
  public func createContainer(id: String) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.insert(ContainerStatements.insert, [.text(id)])
    }
  }

  public func containers() async throws(ServerError) -> [String] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(ContainerStatements.list, []) { $0.text(0) }
    }
  }

  public func deleteContainer(id: String) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      for statement in ContainerStatements.deleteDependents {
        try session.connection.execute(statement, [.text(id)])
      }
      try session.advanceVersion()
      return try session.connection.execute(ContainerStatements.delete, [.text(id)]) == 1
    }
  }
}

extension SQLRegistry {
  public func storeEpochs() async throws(ServerError) -> [StoreAddress: Int64] {
    try await engine.read { (session) throws(ServerError) in
      let rows = try session.connection.all(StoreStatements.list, []) {
        (container: $0.text(0), environment: $0.text(1), epoch: $0.integer(2))
      }
      var epochs: [StoreAddress: Int64] = [:]
      for row in rows {
        let address = try session.storeAddress(
          container: row.container, environment: row.environment)
        epochs[address] = row.epoch
      }
      return epochs
    }
  }

  public func epoch(ofStore address: StoreAddress) async throws(ServerError) -> Int64? {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.first(
        StoreStatements.find,
        [.text(address.container), .text(address.environment.rawValue)]
      ) { $0.integer(0) }
    }
  }

  public func keep(epoch: Int64, ofStore address: StoreAddress) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(
        StoreStatements.keep,
        [.text(address.container), .text(address.environment.rawValue), .integer(epoch)])
    }
  }
}

private enum ContainerStatements {
  static let insert = SQLStatement(
    "INSERT INTO containers (id) VALUES (?) ON CONFLICT (id) DO NOTHING")
  static let list = SQLStatement("SELECT id FROM containers ORDER BY id")
  static let delete = SQLStatement("DELETE FROM containers WHERE id = ?")
  static let deleteDependents = [
    "api_tokens", "server_keys", "sessions", "users", "stores",
  ].map {
    SQLStatement("DELETE FROM \($0) WHERE container = ?")
  }
}

enum StoreStatements {
  static let list = SQLStatement("SELECT container, environment, epoch FROM stores")
  static let find = SQLStatement(
    "SELECT epoch FROM stores WHERE container = ? AND environment = ?")
  static let keep = SQLStatement(
    """
    INSERT INTO stores (container, environment, epoch) VALUES (?, ?, ?)
    ON CONFLICT (container, environment) DO UPDATE SET epoch = excluded.epoch
    """)
}
