import StratusDomain
import StratusWire

/// The server's own file inside one transaction.
public final class RegistrySession: SQLSession {
  let connection: any SQLConnection

  public init(connection: any SQLConnection) { self.connection = connection }

  /// NB: nothing is remembered here, so there is nothing to forget.
  public func forget() {}

  /// Inserts unless a row stands in the way.
  ///
  /// - Returns: whether it did.
  func insert(
    _ statement: SQLStatement, _ values: [SQLValue]
  ) throws(ServerError) -> Bool {
    try connection.execute(statement, values) == 1
  }

  /// The store that two columns name.
  ///
  /// - Throws: `INTERNAL_ERROR` if they name no environment of this version's.
  func storeAddress(container: String, environment: String) throws(ServerError) -> StoreAddress {
    guard let environment = ContainerEnvironment(rawValue: environment) else {
      throw .fault("an unknown environment is registered", facts: ["environment": environment])
    }
    return StoreAddress(container: container, environment: environment)
  }
}
