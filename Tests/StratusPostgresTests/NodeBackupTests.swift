#if Postgres
  import Foundation
  import StratusDomain
  import StratusWire
  import Synchronization
  import Testing

  @testable import StratusPostgres
  @testable import StratusServer

  /// The backups that nodes make by themselves.
  @Suite(.enabled(if: TestServer.isThere)) struct `Scheduled backups of nodes` {
    /// Two nodes with the same folders. A test moves their clocks.
    private struct Place: Sendable {
      let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("stratus-turns-\(UUID().uuidString)")
      let cluster: TestCluster
      let url: String

      var folder: URL { root.appendingPathComponent("backups") }
      var shared: URL { root.appendingPathComponent("shared") }

      /// The names of the backups and of incomplete folders.
      var names: [String] {
        get throws {
          try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        }
      }

      /// The clock of the nodes' machines. It moves together with the clock of the leases.
      var live: Live {
        let ahead = cluster.ahead
        return Live(
          ambient: Ambient(
            now: { 1_800_000_000_000 + ahead.value }, makeUUID: Ambient.live.makeUUID))
      }

      var postgres: PostgresPlace {
        PostgresPlace(
          url: url, shared: shared, data: root.appendingPathComponent("data"),
          schema: cluster.schema)
      }

      func pass(seconds: Int64) { cluster.ahead.advance(by: seconds * 1_000) }

      func backups(
        of turns: any BackupTurns, mayBegin: @escaping @Sendable () -> Bool = { true }
      ) -> NodeBackups {
        let settings = BackupSettings(folder: folder, everyHours: 24, keptCount: 2)
        return NodeBackups(
          schedule: BackupSchedule(of: postgres, settings, live: live), turns: turns,
          mayBegin: mayBegin, live: live)
      }

      func findings() async -> [String] {
        await PostgresDoctor(postgres, live: live).findings().map {
          "\($0.severity.rawValue) \($0.name)"
        }
      }
    }

    /// Calls a body before a call of another node's turns.
    private final class Interrupted: BackupTurns {
      let turns: any BackupTurns
      let beforeTake: @Sendable (_ number: Int) async throws -> Void
      let beforeNote: @Sendable () async throws -> Void
      private let takes = Mutex(0)

      init(
        _ turns: any BackupTurns,
        beforeTake: @escaping @Sendable (_ number: Int) async throws -> Void = { _ in },
        beforeNote: @escaping @Sendable () async throws -> Void = {}
      ) {
        self.turns = turns
        self.beforeTake = beforeTake
        self.beforeNote = beforeNote
      }

      func times() async throws(ServerError) -> BackupTimes { try await turns.times() }

      func take() async throws(ServerError) -> Int64? {
        let number = takes.withLock { takes in
          takes += 1
          return takes
        }
        do { try await beforeTake(number) } catch { throw .fault("\(error)") }
        return try await turns.take()
      }

      func note(begunAt: Int64, lease: Int64) async throws(ServerError) -> Bool {
        do { try await beforeNote() } catch { throw .fault("\(error)") }
        return try await turns.note(begunAt: begunAt, lease: lease)
      }

      func noteFailure(lease: Int64) async throws(ServerError) -> Bool {
        try await turns.noteFailure(lease: lease)
      }
    }

    private static let first = "2027-01-15T080000Z"

    private func withPlace(
      _ body: (Place, [PostgresCluster]) async throws -> Void
    ) async throws {
      try await withNodes(2) { cluster, nodes in
        _ = try await epoch(on: nodes[0])
        let place = Place(cluster: cluster, url: try #require(TestServer.url))
        try FileManager.default.createDirectory(
          at: place.shared, withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(place, nodes)) } catch {
          outcome = .failure(error)
        }
        try FileManager.default.removeItem(at: place.root)
        try outcome.get()
      }
    }

    private func isMade(_ outcome: NodeBackups.Outcome) -> Bool {
      if case .made = outcome { true } else { false }
    }

    private func isNotDue(_ outcome: NodeBackups.Outcome) -> Bool {
      if case .notDue = outcome { true } else { false }
    }

    private func isGivenUp(_ outcome: NodeBackups.Outcome) -> Bool {
      if case .givenUp = outcome { true } else { false }
    }

    private func isFailed(_ outcome: NodeBackups.Outcome) -> Bool {
      if case .failed = outcome { true } else { false }
    }

    @Test func `one node makes a backup a day, and the other node does not repeat it`()
      async throws
    {
      try await withPlace { place, nodes in
        let one = place.backups(of: nodes[0].backupTurns)
        let other = place.backups(of: nodes[1].backupTurns)
        #expect(isMade(await one.makeIfDue()))
        #expect(isNotDue(await other.makeIfDue()))
        #expect(try place.names == [Self.first])
        let found = try Backup.verify(place.folder.appendingPathComponent(Self.first))
        #expect(found.storesCount == 1 && found.problems.isEmpty)
        // NB: the database's clock also counts the time that the test takes.
        place.pass(seconds: 86_400 - 600)
        #expect(isNotDue(await other.makeIfDue()))
        place.pass(seconds: 600)
        #expect(isMade(await other.makeIfDue()))
        #expect(isNotDue(await one.makeIfDue()))
        place.pass(seconds: 86_400)
        #expect(isMade(await one.makeIfDue()))
        // Two backups are kept.
        #expect(try place.names == ["2027-01-16T080000Z", "2027-01-17T080000Z"])
        let latest = place.folder.appendingPathComponent("2027-01-17T080000Z")
        let record = BackupHistory(of: place.shared).record
        #expect(record.folder == latest.path && record.everyHours == 24)
        #expect(await place.findings().contains("note backup-latest"))
        place.pass(seconds: 2 * 86_400 + 1)
        #expect(await place.findings().contains("problem backup-old"))
      }
    }

    @Test func `a node that loses its lease during the copy publishes nothing`() async throws {
      try await withPlace { place, nodes in
        let other = nodes[1].backupTurns
        // The first lease begins the backup. The next one is a renewal.
        let paused = Interrupted(
          nodes[0].backupTurns,
          beforeTake: { number in
            if number != 2 { return }
            place.pass(seconds: BackgroundWork.leaseSeconds + 1)
            let lease = try await other.take()
            #expect(lease != nil)
          })
        #expect(isGivenUp(await place.backups(of: paused).makeIfDue()))
        #expect(try place.names == [])
        #expect(BackupHistory(of: place.shared).record == BackupRecord())
        #expect(isMade(await place.backups(of: other).makeIfDue()))
        #expect(try place.names.count == 1)
      }
    }

    @Test func `a node that pauses before the end of its backup removes it after a newer one`()
      async throws
    {
      try await withPlace { place, nodes in
        let other = place.backups(of: nodes[1].backupTurns)
        let paused = Interrupted(
          nodes[0].backupTurns,
          beforeNote: {
            let names = try place.names
            #expect(names == [Self.first])
            place.pass(seconds: BackgroundWork.leaseSeconds + 1)
            let outcome = await other.makeIfDue()
            #expect(isMade(outcome))
          })
        #expect(isGivenUp(await place.backups(of: paused).makeIfDue()))
        #expect(try place.names == ["2027-01-15T080011Z"])
        let newer = place.folder.appendingPathComponent("2027-01-15T080011Z")
        #expect(BackupHistory(of: place.shared).record.folder == newer.path)
        #expect(isNotDue(await other.makeIfDue()))
      }
    }

    @Test func `another node makes the backup of a node that ended, after the end of its lease`()
      async throws
    {
      try await withPlace { place, nodes in
        #expect(try await nodes[0].backupTurns.take() != nil)
        let partial = place.folder.appendingPathComponent("2027-01-15T075900Z.partial-Ab12Cd")
        try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: true)
        let other = place.backups(of: nodes[1].backupTurns)
        #expect(isNotDue(await other.makeIfDue()))
        #expect(try place.names == [partial.lastPathComponent])
        place.pass(seconds: BackgroundWork.leaseSeconds + 1)
        #expect(isMade(await other.makeIfDue()))
        #expect(try place.names == ["2027-01-15T080011Z"])
      }
    }

    @Test func `after a failure, all nodes wait for an hour, and the doctor reports the failure`()
      async throws
    {
      try await withPlace { place, nodes in
        // A file is in the place of the folder, so no backup can be made.
        try Data().write(to: place.folder)
        #expect(isFailed(await place.backups(of: nodes[0].backupTurns).makeIfDue()))
        #expect(await place.findings().contains("problem backup-failed"))
        try FileManager.default.removeItem(at: place.folder)
        let other = place.backups(of: nodes[1].backupTurns)
        place.pass(seconds: 3_600 - 600)
        #expect(isNotDue(await other.makeIfDue()))
        place.pass(seconds: 600)
        #expect(isMade(await other.makeIfDue()))
        #expect(await place.findings().contains("note backup-latest"))
      }
    }

    @Test func `a node that drains begins no backup`() async throws {
      try await withPlace { place, nodes in
        let draining = place.backups(of: nodes[0].backupTurns, mayBegin: { false })
        #expect(isNotDue(await draining.makeIfDue()))
        #expect(isMade(await place.backups(of: nodes[1].backupTurns).makeIfDue()))
      }
    }

    @Test func `a backup ends at the request of another thread, and its folder is removed`()
      async throws
    {
      try await withPlace { place, nodes in
        let stop = BackupStop()
        stop.request()
        let settings = BackupSettings(folder: place.folder)
        let schedule = BackupSchedule(of: place.postgres, settings, live: place.live)
        #expect(throws: BackupFailure.self) { try schedule.prepare(stop: stop) }
        #expect(try place.names == [])
      }
    }

    @Test func `only the present holder of the lease stores the time of a backup`() async throws {
      try await withPlace { place, nodes in
        let (one, other) = (nodes[0].backupTurns, nodes[1].backupTurns)
        let earlier = try #require(try await one.take())
        #expect(try await one.take() == earlier)
        #expect(try await other.take() == nil)
        place.pass(seconds: BackgroundWork.leaseSeconds + 1)
        let later = try #require(try await other.take())
        #expect(later > earlier)
        #expect(try await one.note(begunAt: 1, lease: earlier) == false)
        #expect(try await one.noteFailure(lease: earlier) == false)
        #expect(try await other.note(begunAt: 2, lease: later))
        // The first node gets the lease again, with another number.
        place.pass(seconds: BackgroundWork.leaseSeconds + 1)
        #expect(try await other.note(begunAt: 3, lease: later) == false)
        let newest = try #require(try await one.take())
        #expect(newest > later)
        #expect(try await one.note(begunAt: 4, lease: earlier) == false)
        #expect(try await one.noteFailure(lease: newest))
        let times = try await other.times()
        #expect(times.begunAt == 2 && times.failedAt != nil)
        #expect(try await one.note(begunAt: 5, lease: newest))
        let last = try await other.times()
        #expect(last.begunAt == 5 && last.failedAt == nil)
      }
    }
  }
#endif
