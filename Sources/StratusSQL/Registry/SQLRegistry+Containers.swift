public import StratusDomain

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
}

private enum ContainerStatements {
  static let insert = SQLStatement(
    "INSERT INTO containers (id) VALUES (?) ON CONFLICT (id) DO NOTHING")
  static let list = SQLStatement("SELECT id FROM containers ORDER BY id")
}
