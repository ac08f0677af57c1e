#if Postgres
  import StratusDomain
  import StratusSQL
  import Synchronization

  /// A node of the installation, as the table `nodes` has it.
  public struct PostgresNode: Sendable, Hashable {
    public var name: String
    public var version: String
    /// The start of the node, in milliseconds since 1970 UTC by the database's clock.
    public var startedAt: Int64
    /// The time of the last heartbeat, in milliseconds since 1970 UTC by the database's clock.
    public var seenAt: Int64
    public var isDraining: Bool
  }

  /// Writes the row of this node, and removes the rows of nodes that have ended.
  final class PostgresHeartbeat: Sendable {
    /// The time between two heartbeats.
    static let pause = Duration.seconds(3)
    /// The time without a heartbeat after which a node counts as ended. Choice: ten heartbeats.
    static let silenceMilliseconds: Int64 = 30_000

    let autocommit: PostgresAutocommit
    let entry: PostgresEntry
    let timelines: PostgresTimelines
    /// The number of nodes that do not drain.
    let activeCount = Atomic<Int>(1)
    /// The reason why this node cannot add its row again after another node has removed it, or nil
    /// if it is not shut out.
    private let refusal = Mutex<ServerError?>(nil)
    private let hasEntered = Atomic<Bool>(false)

    private var node: String { entry.node }

    init(autocommit: PostgresAutocommit, entry: PostgresEntry, timelines: PostgresTimelines) {
      self.autocommit = autocommit
      self.entry = entry
      self.timelines = timelines
    }

    /// Writes a heartbeat, and removes the rows of ended nodes. The first heartbeat adds the row of
    /// this node, and so does the next heartbeat after another node has removed the row.
    ///
    /// NB: a node that counts as ended may only have paused. The removal of its rows in `writers`
    /// makes its open transactions fail, because they find no row for their commit number.
    ///
    /// - Throws: the refusal of ``PostgresEntry/refusal(on:isFirst:)``, and the errors of the
    ///   connection.
    func beat() async throws(ServerError) {
      try await autocommit.run { [self] (session) throws(ServerError) in
        let connection = session.connection
        if try connection.execute(HeartbeatStatements.beat, [.text(node)]) == 0 {
          let isFirst = !hasEntered.load(ordering: .relaxed)
          if let found = try entry.refusal(on: connection, isFirst: isFirst) {
            if !isFirst { refusal.withLock { $0 = found } }
            throw found
          }
          try entry.add(on: connection)
          hasEntered.store(true, ordering: .relaxed)
        }
        try connection.execute(
          HeartbeatStatements.removeNodes, [.integer(Self.silenceMilliseconds)])
        try connection.execute(HeartbeatStatements.removeWriters, [])
        try timelines.confirm(on: connection)
        try connection.run(HeartbeatStatements.activeCount, []) { (row) throws(ServerError) in
          activeCount.store(max(1, Int(row.integer(0))), ordering: .relaxed)
          return false
        }
      }
    }

    /// The reason why this node is shut out, or nil if it is not: other nodes have removed its row,
    /// and it cannot work beside them or on the present tables any more.
    var shutOut: ServerError? { refusal.withLock { $0 } }

    /// Stores in the table `nodes` that this node drains, because it will be stopped.
    func drain() async throws(ServerError) {
      let node = node
      try await autocommit.run { (session) throws(ServerError) in
        _ = try session.connection.execute(HeartbeatStatements.drain, [.text(node)])
      }
    }

    /// Removes the rows of this node, if it has entered. The node's writing connections must be
    /// closed before.
    func end() async throws(ServerError) {
      // NB: a new connection would try the preparation of the tables again, and perhaps an offline
      // upgrade.
      guard hasEntered.load(ordering: .relaxed) else { return }
      let node = node
      try await autocommit.run { (session) throws(ServerError) in
        try session.connection.execute(HeartbeatStatements.removeNode, [.text(node)])
        try session.connection.execute(HeartbeatStatements.removeWriters, [])
      }
    }

    /// Returns all nodes, sorted by their names.
    func nodes() async throws(ServerError) -> [PostgresNode] {
      try await autocommit.run { (session) throws(ServerError) in
        try Self.nodes(on: session.connection)
      }
    }

    /// Returns the rows of all nodes, sorted by their names.
    static func nodes(
      on connection: any SQLConnection
    ) throws(ServerError) -> [PostgresNode] {
      try connection.all(HeartbeatStatements.list, []) { row in
        PostgresNode(
          name: row.text(0), version: row.text(1), startedAt: row.integer(2),
          seenAt: row.integer(3), isDraining: row.integer(4) != 0)
      }
    }
  }

  private enum HeartbeatStatements {
    static let beat = SQLStatement(
      "UPDATE nodes SET seen_at = \(PostgresTables.now) WHERE node = ?")
    static let removeNodes = SQLStatement(
      "DELETE FROM nodes WHERE seen_at < \(PostgresTables.now) - ?")
    static let activeCount = SQLStatement("SELECT COUNT(*) FROM nodes WHERE draining = 0")
    static let removeWriters = SQLStatement(
      "DELETE FROM writers WHERE node NOT IN (SELECT node FROM nodes)")
    static let drain = SQLStatement("UPDATE nodes SET draining = 1 WHERE node = ?")
    static let removeNode = SQLStatement("DELETE FROM nodes WHERE node = ?")
    static let list = SQLStatement(
      "SELECT node, version, started_at, seen_at, draining FROM nodes ORDER BY node")
  }
#endif
