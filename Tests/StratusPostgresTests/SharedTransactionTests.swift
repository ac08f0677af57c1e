#if Postgres
  import Foundation
  import StratusDomain
  import StratusWire
  import Synchronization
  import Testing

  import struct StratusTesting.SeededChance

  @testable import StratusPostgres
  @testable import StratusSQL

  /// A writer gets saves of single records, which share a transaction.
  @Suite(.enabled(if: TestServer.isThere)) struct `Saves in a transaction of several lanes` {
    private static let refusal = ServerError(.accessDenied, Reason.accessDenied)

    private static func zone(_ number: Int, of user: Int = 0) -> ZoneAddress {
      ZoneAddress(database: .private(owner: "_\(user)"), name: "Zone \(number)")
    }

    /// Runs a part of a test with a writer and two empty stores.
    private func withStores(
      _ body: (PostgresWriter, SentTexts, _ schemas: [String], TestCluster) async throws -> Void
    ) async throws {
      try await withNodes(1) { cluster, nodes in
        var schemas: [String] = []
        for environment in [ContainerEnvironment.development, .production] {
          let address = StoreAddress(
            container: development.container, environment: environment)
          schemas.append(try await nodes[0].stores.openStore(at: address).engine.schema)
        }
        let commits = PostgresCommits(node: "node-1", schema: cluster.schema)
        let sent = SentTexts()
        let connector = PostgresConnector(
          name: "stratus tests", url: try cluster.settings.url
        ) { (connection) throws(ServerError) in
          try commits.register(connection)
          connection.beforeSending = { sent.add($0) }
        }
        let writer = PostgresWriter(connector: connector, commits: commits, number: 0)
        defer { writer.close() }
        try await body(writer, sent, schemas, cluster)
      }
    }

    /// Creates zones, and saves the record `first` in each of them.
    private func prepare(
      _ zones: [ZoneAddress], in schema: String, on writer: PostgresWriter
    ) {
      for zone in zones {
        let job = SaveJob("first", in: zone, schema) { (session, job) throws(ServerError) in
          _ = try session.createZone(named: zone.name, in: zone.database)
          try job.save(on: session)
        }
        writer.run([[job]]) {}
        #expect(job.failures == [nil])
      }
    }

    /// The first words of the statements of a transaction, whatever the number of its saves.
    private static let statements = [
      "SELECT 1 /", "BEGIN ISOLATION", "SELECT zones.zone,", "INSERT INTO", "INSERT INTO",
      "WITH sent", "UPDATE \"", "COMMIT", "SELECT pg_advisory_unlock_all()",
    ]

    private func check(_ texts: [String]) {
      #expect(texts.count == Self.statements.count, "\(texts)")
      for (text, beginning) in zip(texts, Self.statements) {
        #expect(text.hasPrefix(beginning), "\(texts)")
      }
    }

    @Test func `saves into sixteen zones need nine statements`() async throws {
      try await withStores { writer, sent, schemas, cluster in
        let schema = schemas[0]
        let zones = (0..<16).map { Self.zone($0, of: $0 / 3) }
        prepare(zones, in: schema, on: writer)
        // NB: the first transaction reads the schema.
        for name in ["second", "third"] {
          _ = sent.take()
          let jobs = zones.map { SaveJob(name, in: $0, schema) }
          writer.run(jobs.map { [$0] }) {}
          #expect(jobs.allSatisfy { $0.failures == [nil] })
        }
        check(sent.take())
        let wrong = try Self.column(Self.wrongPlaces, of: schema, in: cluster)
        #expect(wrong.isEmpty)
      }
    }

    @Test func `sixteen saves into one zone need nine statements`() async throws {
      try await withStores { writer, sent, schemas, cluster in
        let schema = schemas[0]
        prepare([Self.zone(0)], in: schema, on: writer)
        _ = sent.take()
        let jobs = (0..<16).map { SaveJob("\($0)", in: Self.zone(0), schema) }
        writer.run([jobs]) {}
        #expect(jobs.allSatisfy { $0.failures == [nil] })
        check(sent.take())
        let changes = try Self.column(
          "SELECT change::TEXT FROM records ORDER BY records.change", of: schema, in: cluster)
        #expect(changes == (1...17).map { "\($0)" })
      }
    }

    /// The other body has also written. Its records are missing afterwards.
    @Test func `a body that throws undoes no other save`() async throws {
      try await withStores { writer, _, schemas, cluster in
        let schema = schemas[0]
        let zones = (0..<3).map { Self.zone($0) }
        prepare(zones, in: schema, on: writer)
        let refused = SaveJob("refused", in: zones[1], schema) {
          (session, job) throws(ServerError) in
          try job.save(on: session)
          throw Self.refusal
        }
        let others = [0, 2].map { SaveJob("saved", in: zones[$0], schema) }
        writer.run([[others[0]], [refused], [others[1]]]) {}
        #expect(refused.failures == [Self.refusal])
        #expect(others.allSatisfy { $0.failures == [nil] })
        let names = try Self.column(
          "SELECT convert_from(name, 'UTF8') FROM records ORDER BY zone, change", of: schema,
          in: cluster)
        #expect(names == ["first", "saved", "first", "first", "saved"])
      }
    }

    /// The first attempt is undone, because the zone was changed after it was read. The change has
    /// the number that the save would have used.
    @Test func `a zone that another connection has changed meanwhile is saved afterwards`()
      async throws
    {
      try await withStores { writer, _, schemas, cluster in
        let schema = schemas[0]
        let zones = (0..<2).map { Self.zone($0) }
        prepare(zones, in: schema, on: writer)
        let other = try PostgresConnection(to: try cluster.settings.url, name: "stratus tests")
        defer { other.close() }
        let late = SaveJob("late", in: zones[1], schema) { (session, job) throws(ServerError) in
          if job.attempts == 1 {
            try other.define("UPDATE \"\(schema)\".zones SET change = change + 1;")
          }
          try job.save(on: session)
        }
        let one = SaveJob("one", in: zones[0], schema)
        writer.run([[one], [late]]) {}
        #expect(one.failures == [nil])
        #expect(late.failures == [nil])
        #expect(late.attempts == 2)
        let changes = try Self.column(
          "SELECT change::TEXT FROM records ORDER BY zone, records.change", of: schema, in: cluster)
        #expect(changes == ["1", "3", "1", "3"])
      }
    }

    /// The same bodies run in transactions of up to 16 bodies in one store, and one after the other
    /// in another store.
    @Test func `shared transactions have the same outcome as single ones`() async throws {
      let variables = ProcessInfo.processInfo.environment
      let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...99_999)
      var chance = SeededChance(seed: seed)
      try await withStores { writer, _, schemas, cluster in
        let zones = (0..<6).map { Self.zone($0, of: $0 / 2) }
        for schema in schemas { prepare(zones, in: schema, on: writer) }
        for round in 0..<20 {
          var lanes: [[SaveJob]] = []
          var alone: [SaveJob] = []
          for zone in zones where Bool.random(using: &chance) {
            var lane: [SaveJob] = []
            for _ in 0..<Int.random(in: 1...3, using: &chance) {
              let name = "record \(Int.random(in: 0..<4, using: &chance))"
              let kind = SaveJob.Kind.allCases.randomElement(using: &chance) ?? .save
              lane.append(SaveJob(name, in: zone, schemas[0], kind.body))
              alone.append(SaveJob(name, in: zone, schemas[1], kind.body))
            }
            lanes.append(lane)
          }
          if lanes.isEmpty { continue }
          writer.run(lanes) {}
          for job in alone { writer.run([[job]]) {} }
          #expect(
            lanes.joined().map(\.failures) == alone.map(\.failures),
            "STRATUS_SEED=\(seed), round \(round)")
          let wrong = try Self.column(Self.wrongPlaces, of: schemas[0], in: cluster)
          #expect(wrong.isEmpty, "STRATUS_SEED=\(seed), round \(round)")
        }
        for query in SaveJob.states {
          let found = try Self.column(query, of: schemas[0], in: cluster)
          let expected = try Self.column(query, of: schemas[1], in: cluster)
          #expect(found == expected, "STRATUS_SEED=\(seed): \(query)")
          #expect(!found.isEmpty)
        }
      }
    }

    /// Finds zones that have the same place in the history of their database, and places that the
    /// database has not counted.
    private static let wrongPlaces = """
      SELECT 'the same place' FROM listings GROUP BY database, listed HAVING COUNT(*) > 1
      UNION ALL
      SELECT 'a place of the future' FROM listings JOIN databases USING (database)
      WHERE listed > databases.change
      """

    /// Returns the texts that a query finds in the tables of a store.
    private static func column(
      _ query: String, of schema: String, in cluster: TestCluster
    ) throws -> [String] {
      try cluster.withConnection { connection in
        try connection.runApart(in: schema) { (connection) throws(ServerError) in
          try connection.all(SQLStatement(query), []) { $0.text(0) }
        }
      }
    }
  }

  /// The statements that a connection has sent.
  private final class SentTexts: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ text: String) { texts.withLock { $0.append(text) } }

    /// Returns the texts since the last call.
    func take() -> [String] {
      texts.withLock { texts in
        defer { texts = [] }
        return texts
      }
    }
  }

  /// A body that saves one record, with the same calls as a handler.
  ///
  /// NB: `@unchecked` is safe, because only the thread of the test uses the body.
  private final class SaveJob: PostgresJob, @unchecked Sendable {
    typealias Body = (StoreSession, SaveJob) throws(ServerError) -> Void

    enum Kind: CaseIterable {
      case save, saveAgain, delete, throwFirst, throwLast, readFirst

      var body: Body {
        switch self {
        case .save:
          return { (session, job) throws(ServerError) in try job.save(on: session) }
        case .saveAgain:
          return { (session, job) throws(ServerError) in
            try job.save(on: session)
            try job.save(on: session)
          }
        case .delete:
          return { (session, job) throws(ServerError) in
            try job.save(on: session, isDeleted: true)
          }
        case .throwFirst:
          return { (_, _) throws(ServerError) in
            throw ServerError(.accessDenied, Reason.accessDenied)
          }
        case .throwLast:
          return { (session, job) throws(ServerError) in
            try job.save(on: session)
            throw ServerError(.accessDenied, Reason.accessDenied)
          }
        case .readFirst:
          return { (session, job) throws(ServerError) in
            guard let zone = try session.lockZone(named: job.zone.name, in: job.zone.database)
            else { throw .fault("a zone is missing") }
            _ = try session.recordChanges(
              in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: true, limit: 1,
              sizeBytesMax: .max)
            try job.save(on: session)
          }
        }
      }
    }

    /// Queries for the state of a store, without the numbers that the store assigns.
    static let states = [
      """
      SELECT encode(owner, 'escape') || ' ' || encode(name, 'escape') || ' ' || zones.change
        || ' ' || used_bytes || ' ' || encode(recent_usage, 'escape')
      FROM zones JOIN databases USING (database) ORDER BY 1
      """,
      """
      SELECT encode(owner, 'escape') || ' ' || encode(zones.name, 'escape') || ' '
        || encode(records.name, 'escape') || ' ' || records.change || ' ' || records.deleted
        || ' ' || records.revision
      FROM records JOIN databases USING (database) JOIN zones USING (zone) ORDER BY 1
      """,
      """
      SELECT encode(owner, 'escape') || ' ' || encode(records.name, 'escape') || ' '
        || encode(value, 'hex') || ' ' || index_id
      FROM entries JOIN databases USING (database) JOIN records USING (record) ORDER BY 1
      """,
      "SELECT COUNT(*)::TEXT FROM entries",
    ]

    let zone: ZoneAddress
    let name: String
    let schema: String
    let locks: [Int64]
    let order: String
    let wish: ReadWish?
    /// The number of times that the body was run.
    private(set) var attempts = 0
    /// The errors with which the caller was resumed. There must be one element, which may be nil.
    private(set) var failures: [ServerError?] = []
    private let body: Body

    init(
      _ name: String, in zone: ZoneAddress, _ schema: String,
      _ body: @escaping Body = { (session, job) throws(ServerError) in
        try job.save(on: session)
      }
    ) {
      self.name = name
      self.zone = zone
      self.schema = schema
      self.body = body
      order = "\(zone.database)/\(zone.name)"
      locks = [PostgresLockNumber.of(["test", schema, order])]
      wish = ReadWish(database: zone.database, zone: zone.name, record: name)
    }

    func begin(on connection: PostgresConnection) { session(on: connection).begin() }

    func read(_ wishes: [ReadWish], on connection: PostgresConnection) throws(ServerError) {
      try session(on: connection).readTogether(wishes)
    }

    func attempt(on connection: PostgresConnection) -> ServerError? {
      do throws(ServerError) {
        attempts += 1
        try body(session(on: connection), self)
        return nil
      } catch {
        return error
      }
    }

    func finish(failure: ServerError?) { failures.append(failure) }

    func forget(on connection: PostgresConnection) { session(on: connection).forget() }

    private func session(on connection: PostgresConnection) -> StoreSession {
      if let known = connection.sessions[schema] as? StoreSession { return known }
      let session = StoreSession(connection: connection)
      connection.sessions[schema] = session
      return session
    }

    /// Saves or deletes the record. Two index entries contain its revision.
    func save(on session: StoreSession, isDeleted: Bool = false) throws(ServerError) {
      let found = try session.lockZone(
        named: zone.name, in: zone.database, beforeReading: name)
      guard let zone = found else { throw .fault("the zone is missing") }
      _ = try session.schema()
      let number = try session.drawRecordNumbers(1)
      let old = try session.latestStates(named: [name], in: zone)[ExactName(name)]
      let live = old.flatMap { $0.isDeleted ? nil : $0 }
      if isDeleted, live == nil { return }
      _ = try session.watchForWriting(of: zone.database)
      let stamp = Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "a")
      var record = StoredRecord(
        name: name, type: "Note", change: zone.change + 1, isDeleted: isDeleted, created: stamp,
        modified: stamp, parentRecordName: nil, fields: .empty)
      record.number = live?.number ?? number
      record.revision = (old?.revision ?? 0) + 1
      var rows = RowChanges()
      if let live { rows.removed.entries = Self.entries(of: live) }
      if !isDeleted { rows.added.entries = Self.entries(of: record) }
      let count: Int64 = (isDeleted ? 0 : 1) - (live == nil ? 0 : 1)
      rows.usage["Note"] = Usage(records: count, recordBytes: count)
      try session.apply(ChangeSet(zone: zone, records: [record], rows: rows))
      _ = try session.epoch(of: DatabaseView(of: zone.database))
    }

    private static func entries(of record: StoredRecord) -> [IndexEntry] {
      (1...2).map {
        IndexEntry(
          index: Int64($0), value: [UInt8(clamping: record.revision)], record: record.number)
      }
    }
  }
#endif
