import Synchronization

/// The open connections of a server, and the task that waits until all of them are closed.
///
/// Hummingbird starts a task for each connection, and stops when all these tasks have ended. If
/// each task waited for its own connection, its end would take time in proportion to the number of
/// open connections, because Swift's task groups keep their tasks in a list. (With 17,000 streams,
/// the end of all tasks took two seconds.) So one task waits for all connections, and the tasks of
/// the other connections end immediately.
final class OpenConnections<Connection: Sendable>: Sendable {
  private struct State {
    var connections: [Int: Connection] = [:]
    var addedCount = 0
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Adds an open connection.
  ///
  /// - Returns: the number of the connection for ``remove(_:)``.
  func add(_ connection: Connection) -> Int {
    state.withLock { state in
      state.addedCount += 1
      state.connections[state.addedCount] = connection
      return state.addedCount
    }
  }

  /// Removes a closed connection.
  func remove(_ number: Int) {
    let finished = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.connections[number] = nil
      guard state.connections.isEmpty else { return nil }
      defer { state.waiting = nil }
      return state.waiting
    }
    finished?.resume()
  }

  /// Waits until no connection is open. If another task already waits for this, the method returns
  /// immediately.
  ///
  /// - Parameter endSoon: is called for each open connection if the task is cancelled. The method
  ///   still waits until all connections are closed.
  func waitForAll(endSoon: @Sendable (Connection) -> Void) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let finished = state.withLock { state -> CheckedContinuation<Void, Never>? in
          if state.waiting != nil || state.connections.isEmpty { return continuation }
          state.waiting = continuation
          return nil
        }
        finished?.resume()
      }
    } onCancel: {
      for connection in state.withLock({ Array($0.connections.values) }) { endSoon(connection) }
    }
  }

  /// Whether a task waits, for tests.
  var isAwaited: Bool { state.withLock { $0.waiting != nil } }
}
