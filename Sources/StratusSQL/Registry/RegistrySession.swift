import StratusDomain
import StratusWire

/// The implementation of the registry in the transactions of one connection.
public final class RegistrySession: SQLSession {
  let connection: any SQLConnection

  public init(connection: any SQLConnection) { self.connection = connection }

  /// NB: the session caches nothing, so there is nothing to discard.
  public func forget() {}

  /// Inserts a row unless it conflicts with an existing row.
  ///
  /// - Returns: whether the row was inserted.
  func insert(
    _ statement: SQLStatement, _ values: [SQLValue]
  ) throws(ServerError) -> Bool {
    try connection.execute(statement, values) == 1
  }

  /// Decodes the address of a store from the values of two columns.
  ///
  /// - Throws: `INTERNAL_ERROR` if this version does not know the environment.
  func storeAddress(container: String, environment: String) throws(ServerError) -> StoreAddress {
    guard let environment = ContainerEnvironment(rawValue: environment) else {
      throw .fault("an unknown environment is registered", facts: ["environment": environment])
    }
    return StoreAddress(container: container, environment: environment)
  }
}
