#if Postgres
  import StratusDomain
  import Synchronization

  @testable import StratusPostgres
  @testable import StratusSQL

  /// Counts the statements of one node that may write, and kills the node before one of them.
  final class DeadlyWire: Sendable {
    private struct State {
      var count = 0
      var isDead = false
    }

    private let killAt: Int?
    private let betweenTransactions: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - killAt: the number of the first statement that is not sent, or nil to send all.
    ///   - betweenTransactions: is called before each transaction that writes.
    init(killAt: Int?, betweenTransactions: @escaping @Sendable () -> Void) {
      self.killAt = killAt
      self.betweenTransactions = betweenTransactions
    }

    var count: Int { state.withLock(\.count) }
    var isDead: Bool { state.withLock(\.isDead) }

    /// - Throws: `INTERNAL_ERROR` if the node is dead. It then opens no connection any more.
    func requireLife() throws(ServerError) {
      if isDead { throw .fault("the node was killed") }
    }

    func watch(_ connection: PostgresConnection) {
      connection.beforeSending = { [self, unowned connection] text in
        if mustKill() {
          connection.cut()
        } else if text.hasPrefix("BEGIN ISOLATION LEVEL SERIALIZABLE") {
          betweenTransactions()
        }
      }
    }

    private func mustKill() -> Bool {
      state.withLock { state in
        if state.isDead { return true }
        state.count += 1
        state.isDead = state.count == killAt
        return state.isDead
      }
    }
  }

  /// A node of the later layout that only upgrades tables. All its connections break at the same
  /// time, as if its process was killed.
  ///
  /// NB: reads are not counted. A read changes nothing, so a kill at a read has the same result as
  /// a kill at the beginning of the next transaction.
  struct KilledNode {
    let upgrades: PostgresUpgrades
    private let pools: PostgresPools

    init(
      _ name: String, in cluster: TestCluster, states: LayoutStates, wire: DeadlyWire
    ) throws {
      let url = try cluster.settings.url
      try cluster.withConnection { connection in
        try enterNode(name, states: states, on: connection)
      }
      let commits = PostgresCommits(node: name, schema: cluster.schema)
      let readers = PostgresPool(name: "test-read", threadsMax: 1, waitingMax: 100) { thread in
        PostgresReader(
          connector: PostgresConnector(name: thread, url: url, pauseSeconds: 0) {
            (connection) throws(ServerError) in
            try wire.requireLife()
            connection.layouts = states
          })
      }
      let writers = PostgresPool(name: "test-write", threadsMax: 1, waitingMax: 100) { thread in
        let connector = PostgresConnector(name: thread, url: url, pauseSeconds: 0) {
          (connection) throws(ServerError) in
          try wire.requireLife()
          try commits.register(connection)
          connection.layouts = states
          wire.watch(connection)
        }
        return PostgresWriter(connector: connector, commits: commits, number: 1)
      }
      let own = PostgresPool(name: "test-upgrade", threadsMax: 1, waitingMax: 100) { thread in
        PostgresAutocommitWorker(
          connector: PostgresConnector(name: thread, url: url, pauseSeconds: 0) {
            (connection) throws(ServerError) in
            try wire.requireLife()
            try connection.define("SET lock_timeout = 0;")
            wire.watch(connection)
          })
      }
      pools = PostgresPools(readers: readers, writers: writers)
      upgrades = PostgresUpgrades(
        states: states, pools: pools, own: own,
        autocommit: PostgresAutocommit(pool: own, schema: cluster.schema), interrupt: { _ in })
    }

    /// Closes all connections. PostgreSQL releases the locks of a killed node, too.
    func close() async {
      await upgrades.close()
      await pools.close()
    }
  }

  /// Adds the row of a node.
  func enterNode(
    _ name: String, states: LayoutStates, on connection: PostgresConnection
  ) throws(ServerError) {
    let entry = PostgresEntry(node: name, version: "test", states: states)
    try connection.runApart(in: states.installation) { (connection) throws(ServerError) in
      if let refusal = try entry.refusal(on: connection, isFirst: true) { throw refusal }
      try entry.add(on: connection)
    }
  }

  /// The saves of other nodes during an upgrade: first those of a node of the earlier layout, and
  /// after its end those of a node of the later layout.
  ///
  /// NB: this type is unchecked. Either the test uses it, or the thread of the node that upgrades
  /// while the test waits for this node.
  final class OtherNodes: @unchecked Sendable {
    /// The notes that must exist after all saves, in centimetres.
    private(set) var expected = TestNotes.initial
    private(set) var errors: [ServerError] = []
    private(set) var hasEarlier = true
    private var number: Int64 = 0
    private let store: String
    private let commits: PostgresCommits
    private let earlier: PostgresConnection
    private let later: PostgresConnection

    private static let name = "earlier"

    init(in cluster: TestCluster, states: LayoutStates) throws {
      store = "\(cluster.schema)_1"
      commits = PostgresCommits(node: Self.name, schema: cluster.schema)
      earlier = try PostgresConnection(to: try cluster.settings.url, name: "stratus tests")
      later = try PostgresConnection(to: try cluster.settings.url, name: "stratus tests")
      later.layouts = states
      let present = LayoutStates(installation: cluster.schema, layouts: .present)
      try enterNode(Self.name, states: present, on: earlier)
      try commits.register(earlier)
    }

    func close() {
      earlier.close()
      later.close()
    }

    /// Ends the node of the earlier layout.
    func endEarlier(in cluster: TestCluster) throws {
      hasEarlier = false
      try later.define(
        """
        DELETE FROM "\(cluster.schema)".nodes WHERE node = '\(Self.name)';
        DELETE FROM "\(cluster.schema)".writers WHERE node = '\(Self.name)';
        """)
    }

    /// Saves a note. The notes 1 to 12 follow in a fixed order, and 9 to 12 are new at first.
    func save() {
      number += 1
      let (note, metres) = (number * 5 % 12 + 1, number + 100)
      do throws(ServerError) {
        // NB: PostgreSQL may still undo a transaction of a killed node.
        for _ in 0..<20 {
          if try save(note, metres: metres) {
            expected[note] = metres * 100
            return
          }
        }
        errors.append(.fault("a save conflicts too often"))
      } catch {
        errors.append(error)
      }
    }

    /// - Returns: false after a conflict, or if the columns have changed meanwhile.
    private func save(_ note: Int64, metres: Int64) throws(ServerError) -> Bool {
      let connection = hasEarlier ? earlier : later
      do throws(ServerError) {
        try connection.beginWrite(in: store, locks: [])
        if hasEarlier {
          try TestNotes.saveAsEarlier(note, metres: metres, on: connection)
        } else {
          try TestNotes.saveAsLater(note, centimetres: metres * 100, on: connection)
        }
        try connection.commit(numbering: hasEarlier ? commits.statement : nil).require()
        return true
      } catch {
        connection.rollback()
        let state = error.facts["postgres"]?.prefix(5)
        guard state == "40001" || state == "42703" else { throw error }
        return false
      }
    }
  }
#endif
