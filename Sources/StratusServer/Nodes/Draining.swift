import StratusDomain
import StratusWire
import Synchronization

/// Whether this node drains: it will be stopped, and its clients should use other nodes.
final class Draining: ReadinessCheck {
  private enum State {
    case no
    /// The streams are closed at this time, in milliseconds since 1970 UTC.
    case closing(at: Int64)
    case closed
  }

  private let state = Mutex(State.no)

  var name: String { "node" }

  var isDraining: Bool {
    state.withLock { state in
      if case .no = state { false } else { true }
    }
  }

  /// Begins to drain. A second call changes nothing.
  func begin(closingAt time: Int64) {
    state.withLock { state in
      if case .no = state { state = .closing(at: time) }
    }
  }

  /// Whether the streams must be closed now. The result is true only once.
  func mustClose(at now: Int64) -> Bool {
    state.withLock { state in
      guard case .closing(let time) = state, time <= now else { return false }
      state = .closed
      return true
    }
  }

  func faults() async -> [ReadinessFault] {
    guard isDraining else { return [] }
    return [ReadinessFault(name: "draining", reason: "this node will be stopped")]
  }
}

/// The nodes that work on the same stores, as the storage engine knows them.
struct StorageNodes: Sendable {
  /// Returns all nodes. With an engine for one process, this is one node.
  let list: @Sendable () async throws(ServerError) -> [NodeItem]
  /// Tells the other nodes that this node drains.
  let drain: @Sendable () async throws(ServerError) -> Void
  /// The number of nodes, as the last heartbeat found them.
  let count: @Sendable () -> Int
  /// Returns the unfinished online upgrades, and their number if the list is cut. An engine for one
  /// process upgrades its tables when it opens them.
  var upgrades: @Sendable () async throws(ServerError) -> (items: [UpgradeItem], count: Int64) = {
    () throws(ServerError) in ([], 0)
  }

  /// The only node of an engine for one process.
  static func single(live: Live) -> StorageNodes {
    let (name, startedAt) = (live.ambient.makeUUID(), live.ambient.now())
    return StorageNodes(
      list: { () throws(ServerError) in
        [
          NodeItem(
            name: name, version: ServerVersion.current, startedAt: startedAt,
            seenAt: live.ambient.now(), isDraining: false, isCalled: true)
        ]
      },
      drain: { () throws(ServerError) in
        throw ServerError(.badRequest, "this server is the only node: stop it instead")
      },
      count: { 1 })
  }
}
