#if Postgres
  import StratusDomain
  import StratusSQL
  import StratusWire
  import Synchronization

  /// Notices that a new connection leads to another timeline of the cluster. A timeline begins with
  /// each failover and each restore from a backup.
  ///
  /// If acknowledged writes may be missing on the new timeline, every store begins a new history:
  /// all change tokens expire. Otherwise a client that knows a lost change would miss another
  /// change with the same number.
  final class PostgresTimelines: Sendable {
    /// A timeline, and whether commits on it wait for a standby.
    struct Timeline: Equatable {
      var cluster: String
      var number: Int64
      var isSynchronous: Bool
    }

    struct Known {
      var timeline: Timeline
      /// The last time at which the node was connected to the timeline, in milliseconds since 1970
      /// UTC.
      var seenAt: Int64
    }

    /// The maximum time of a failover that keeps change tokens. After a longer interruption, the
    /// cluster may have been restored from a backup.
    private static let failoverMillisecondsMax: Int64 = 60_000

    private let schema: String
    /// The layouts of the node, or nil if no node runs.
    private let states: LayoutStates?
    private let makeEpoch: @Sendable () -> Int64
    private let now: @Sendable () -> Int64
    private let report: @Sendable (String) -> Void
    let known = Mutex<Known?>(nil)

    /// - Parameters:
    ///   - states: the layouts of the node, or nil if no node runs.
    ///   - report: is called with a sentence for the operator.
    init(
      schema: String, states: LayoutStates? = nil, makeEpoch: @escaping @Sendable () -> Int64,
      now: @escaping @Sendable () -> Int64, report: @escaping @Sendable (String) -> Void
    ) {
      self.schema = schema
      self.states = states
      self.makeEpoch = makeEpoch
      self.now = now
      self.report = report
    }

    /// Checks a new connection before it is used.
    ///
    /// - Throws: the errors of the connection.
    func check(_ connection: PostgresConnection) throws(ServerError) {
      let begunAt = now()
      let timeline = try connection.runApart(in: schema) { (connection) throws(ServerError) in
        try Self.read(on: connection)
      }
      let earlier = known.withLock { $0 }
      if earlier?.timeline.cluster == timeline.cluster,
        earlier?.timeline.number == timeline.number
      {
        keep(timeline, seenAt: begunAt)
      } else {
        try begin(timeline, after: earlier, on: connection)
        known.withLock { $0 = Known(timeline: timeline, seenAt: begunAt) }
      }
    }

    /// Notes that the node was connected to the timeline, unless it has seen another one meanwhile.
    ///
    /// - Parameter time: a time before the timeline was read. NB: the node may have paused since
    ///   then, and was perhaps not connected to the timeline any more.
    private func keep(_ timeline: Timeline, seenAt time: Int64) {
      known.withLock { known in
        guard let last = known, last.timeline.cluster == timeline.cluster,
          last.timeline.number == timeline.number
        else { return }
        known = Known(timeline: timeline, seenAt: max(time, last.seenAt))
      }
    }

    /// Whether a failover may lose acknowledged writes: there is a standby, and commits do not wait
    /// for it.
    func mayLoseWrites(on connection: any SQLConnection) throws(ServerError) -> Bool {
      let standbys = try connection.first(TimelineStatements.standbys, []) { $0.integer(0) } ?? 0
      if standbys == 0 { return false }
      return try !Self.read(on: connection).isSynchronous
    }

    /// Notes that the node is still connected to the timeline. Stores whether replication is
    /// synchronous.
    func confirm(on connection: any SQLConnection) throws(ServerError) {
      let begunAt = now()
      let timeline = try Self.read(on: connection)
      try connection.execute(
        TimelineStatements.note,
        [
          .flag(timeline.isSynchronous), .integer(begunAt), .text(timeline.cluster),
          .integer(timeline.number),
        ])
      keep(timeline, seenAt: begunAt)
    }

    /// Returns the present timeline.
    static func read(on connection: any SQLConnection) throws(ServerError) -> Timeline {
      let found = try connection.first(TimelineStatements.read, []) { row in
        Timeline(
          cluster: row.text(0), number: Int64(row.text(1), radix: 16) ?? 0,
          isSynchronous: !row.text(2).isEmpty)
      }
      guard let found else { throw .fault("PostgreSQL did not tell its timeline") }
      return found
    }

    /// Decides whether the change tokens of the earlier timeline stay valid. One node decides, and
    /// the others find the timeline in the table.
    private func begin(
      _ timeline: Timeline, after known: Known?, on connection: PostgresConnection
    ) throws(ServerError) {
      let key: [SQLValue] = [.text(timeline.cluster), .integer(timeline.number)]
      let lock = PostgresLockNumber.of(["timeline", schema])
      try connection.beginWrite(in: schema, locks: [lock])
      var isRenewed = false
      var present: Int64?
      do throws(ServerError) {
        let isKnown =
          try connection.first(TimelineStatements.find, key) { _ in true } ?? false
        // NB: a cluster must not return to an earlier timeline. If it does, the writes of the later
        // timeline are lost, and only the nodes that were connected to the later timeline know
        // this. The first of their connections renews the epochs.
        if let known, known.timeline.cluster == timeline.cluster,
          known.timeline.number > timeline.number
        {
          isRenewed = try noteLoss(of: known, at: timeline, on: connection)
        }
        if !isKnown, !isRenewed { isRenewed = try mustRenew(after: known, on: connection) }
        if isRenewed {
          try refuseLaterLayouts(on: connection)
          try renewEpochs(in: TimelineStatements.soundStores, on: connection, present: &present)
          if known == nil, try isElsewhere(timeline, on: connection) {
            try RegistryTables.forgetInstallation(on: connection)
          }
        }
        if !isKnown {
          try connection.execute(
            TimelineStatements.add, key + [.flag(timeline.isSynchronous), .integer(now())])
        }
      } catch {
        connection.rollback()
        guard let present, PostgresStoreFaults.isDamage(error) else { throw error }
        // NB: otherwise a single damaged store would make all connections unusable. Its epoch is
        // renewed when it can be used again.
        try note(error, ofStore: present, on: connection)
        return try begin(timeline, after: known, on: connection)
      }
      // NB: after an unknown outcome, the next connection reads whether the timeline was stored.
      try connection.commit().require()
      if isRenewed {
        report(
          """
          PostgreSQL is on timeline \(timeline.number), and acknowledged writes may be lost: all \
          change tokens have expired
          """)
      }
    }

    /// Whether the nodes were on another cluster before. The database is then a restored dump, and
    /// the installation from which it comes may still exist.
    private func isElsewhere(
      _ timeline: Timeline, on connection: PostgresConnection
    ) throws(ServerError) -> Bool {
      let newest = try connection.first(TimelineStatements.newest, []) { $0.text(0) }
      return newest.map { $0 != timeline.cluster } ?? false
    }

    /// Notes that the changes of a later timeline are lost.
    ///
    /// - Returns: false if this is already noted. All change tokens of the later timeline have then
    ///   expired, and the present ones must stay valid.
    private func noteLoss(
      of lost: Known, at present: Timeline, on connection: PostgresConnection
    ) throws(ServerError) -> Bool {
      let key: [SQLValue] = [
        .text(present.cluster), .integer(present.number), .integer(lost.timeline.number),
      ]
      // NB: a promotion may give the number of the lost timeline to a new one. A node that has seen
      // the new one after the note was written has lost further changes.
      let isNoted = try connection.first(
        TimelineStatements.isLossNoted, key + [.integer(lost.seenAt)]
      ) { _ in true }
      if isNoted == true { return false }
      try connection.execute(TimelineStatements.noteLoss, key + [.integer(now())])
      return true
    }

    /// Fences a node that was silent: it must not write to tables that a later version has
    /// upgraded. The transaction reads the layouts, so it fails if one of them changes meanwhile.
    ///
    /// NB: nothing is noted in this case, so a node of the later version renews the epochs.
    ///
    /// - Throws: `TRY_AGAIN_LATER` if this version does not know the layout of a table.
    private func refuseLaterLayouts(on connection: PostgresConnection) throws(ServerError) {
      guard let states else { return }
      for (found, state) in try states.all(on: connection) {
        let newest = states.layouts.kind(of: found, in: schema).newest
        if state.layout > newest {
          throw PostgresFailure.tooOld(for: state.layout, newest: newest)
        }
      }
    }

    private func mustRenew(
      after known: Known?, on connection: PostgresConnection
    ) throws(ServerError) -> Bool {
      let newest = try connection.first(TimelineStatements.newest, []) {
        (cluster: $0.text(0), number: $0.integer(1), isSynchronous: $0.integer(2) != 0)
      }
      // The first timeline of an installation has no earlier tokens.
      guard let newest else { return false }
      guard let known, known.timeline.cluster == newest.cluster,
        known.timeline.number == newest.number, newest.isSynchronous, known.timeline.isSynchronous
      else { return true }
      return now() - known.seenAt > Self.failoverMillisecondsMax
    }

    /// Begins a new history in stores, because a copy continues the present one. A copy of all
    /// stores also keeps the installation's ID. One separate transaction does this for all stores.
    ///
    /// - Parameter containers: the containers of the stores, or nil for all stores.
    func renewAllEpochs(
      ofContainers containers: Set<String>? = nil, on connection: PostgresConnection
    ) throws(ServerError) {
      try connection.beginWrite(in: schema, locks: [])
      var present: Int64?
      do throws(ServerError) {
        try renewEpochs(
          in: TimelineStatements.stores, ofContainers: containers, on: connection,
          present: &present)
        if containers == nil { try RegistryTables.forgetInstallation(on: connection) }
      } catch {
        connection.rollback()
        throw error
      }
      try connection.commit().require()
    }

    private func note(
      _ error: ServerError, ofStore number: Int64, on connection: PostgresConnection
    ) throws(ServerError) {
      try connection.beginWrite(in: schema, locks: [])
      do throws(ServerError) {
        try PostgresStoreFaults.note(error, of: number, on: connection)
      } catch {
        connection.rollback()
        throw error
      }
      try connection.commit().require()
    }

    /// - Parameters:
    ///   - list: selects the stores.
    ///   - containers: the containers of the stores, or nil for all of them.
    ///   - present: the number of the store that the method changes. After an error, it is the
    ///     store with the error, or nil if the error concerns no store.
    private func renewEpochs(
      in list: SQLStatement, ofContainers containers: Set<String>? = nil,
      on connection: PostgresConnection, present: inout Int64?
    ) throws(ServerError) {
      var stores: [(key: [SQLValue], number: Int64)] = []
      try connection.run(list, []) { (row) throws(ServerError) in
        let container = row.text(0)
        if containers?.contains(container) ?? true {
          stores.append(([.text(container), .text(row.text(1))], row.integer(2)))
        }
        return true
      }
      for store in stores {
        present = store.number
        let epoch = makeEpoch()
        try connection.use(schema: "\(schema)_\(store.number)")
        try StoreTables.beginTimeline(epoch: epoch, now: now(), on: connection)
        try connection.use(schema: schema)
        try connection.execute(TimelineStatements.keepEpoch, [.integer(epoch)] + store.key)
        present = nil
      }
    }
  }

  private enum TimelineStatements {
    /// NB: `pg_control_checkpoint` shows the earlier timeline until the first checkpoint after a
    /// failover is complete. The name of the current log file shows the present one.
    static let read = SQLStatement(
      """
      SELECT system_identifier::TEXT, LEFT(pg_walfile_name(pg_current_wal_lsn()), 8),
        current_setting('synchronous_standby_names')
      FROM pg_control_system()
      """)
    static let standbys = SQLStatement("SELECT COUNT(*) FROM pg_stat_replication")
    static let find = SQLStatement(
      "SELECT 1 FROM timelines WHERE cluster = ? AND timeline = ?")
    static let newest = SQLStatement(
      """
      SELECT cluster, timeline, synchronous FROM timelines
      ORDER BY seen_at DESC, timeline DESC LIMIT 1
      """)
    static let add = SQLStatement(
      "INSERT INTO timelines (cluster, timeline, synchronous, seen_at) VALUES (?, ?, ?, ?)")
    static let note = SQLStatement(
      "UPDATE timelines SET synchronous = ?, seen_at = ? WHERE cluster = ? AND timeline = ?")
    /// A loss of a later timeline includes that of the timelines between.
    static let isLossNoted = SQLStatement(
      """
      SELECT 1 FROM lost_timelines
      WHERE cluster = ? AND present = ? AND timeline >= ? AND noted_at >= ?
      """)
    static let noteLoss = SQLStatement(
      """
      INSERT INTO lost_timelines (cluster, present, timeline, noted_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (cluster, present, timeline) DO UPDATE SET noted_at = excluded.noted_at
      """)
    static let stores = SQLStatement("SELECT container, environment, number FROM store_schemas")
    static let soundStores = SQLStatement(
      """
      SELECT container, environment, number FROM store_schemas WHERE NOT EXISTS (
        SELECT 1 FROM store_faults WHERE store_faults.number = store_schemas.number)
      """)
    static let keepEpoch = SQLStatement(
      "UPDATE stores SET epoch = ? WHERE container = ? AND environment = ?")
  }
#endif
