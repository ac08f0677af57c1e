/// Gives the disk space of deleted data back to the operating system. Each step is one transaction.
public struct ReturnSpace: Sendable {
  private let store: any Store

  public init(store: any Store) { self.store = store }

  /// Runs one step.
  ///
  /// - Returns: whether there is more to do.
  public func step() async throws(ServerError) -> Bool {
    // NB: a read checks first whether there is unused space. Usually there is none, and a read does
    // not delay the writers.
    let isDue = try await store.read { (store) throws(ServerError) in
      try store.hasUnusedSpace()
    }
    guard isDue else { return false }
    return try await store.write { (store) throws(ServerError) in
      try store.returnUnusedSpace()
    }
  }
}
