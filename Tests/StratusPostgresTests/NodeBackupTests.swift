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

      /// The names of the backups and of incomplete folders. The list is empty if the folder with
      /// all backups does not exist.
      var names: [String] {
        get throws {
          if !FileManager.default.fileExists(atPath: folder.path) { return [] }
          return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
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

    /// The turns of a node that pauses once. Another node works during the pause.
    private final class Interrupted: BackupTurns {
      enum Moment {
        /// When the node renews its lease for the first time.
        case renewal
        /// When the node stores the time of its backup.
        case note
      }

      private let turns: any BackupTurns
      private let moment: Moment
      private let body: @Sendable () async throws -> Void
      private let state = Mutex((takes: 0, isPaused: false))

      init(
        _ turns: any BackupTurns, at moment: Moment,
        _ body: @escaping @Sendable () async throws -> Void
      ) {
        self.turns = turns
        self.moment = moment
        self.body = body
      }

      func times() async throws(ServerError) -> BackupTimes { try await turns.times() }

      /// NB: a paused node also renews nothing on its other threads.
      func take() async throws(ServerError) -> Int64? {
        let (isPaused, mustPause) = state.withLock { state -> (Bool, Bool) in
          state.takes += 1
          let wasPaused = state.isPaused
          if moment == .renewal, state.takes == 2 { state.isPaused = true }
          return (wasPaused, state.isPaused)
        }
        if isPaused { return nil }
        if mustPause { try await pause() }
        return try await turns.take()
      }

      func note(begunAt: Int64, lease: Int64) async throws(ServerError) -> Bool {
        if moment == .note {
          state.withLock { $0.isPaused = true }
          try await pause()
        }
        return try await turns.note(begunAt: begunAt, lease: lease)
      }

      func noteFailure(lease: Int64) async throws(ServerError) -> Bool {
        try await turns.noteFailure(lease: lease)
      }

      private func pause() async throws(ServerError) {
        do { try await body() } catch { throw .fault("\(error)") }
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

    @Test func `one node makes a backup a day, and the other node does not repeat it`()
      async throws
    {
      try await withPlace { place, nodes in
        let one = place.backups(of: nodes[0].backupTurns)
        let other = place.backups(of: nodes[1].backupTurns)
        #expect(await one.makeIfDue().name == "made")
        #expect(await other.makeIfDue().name == "notDue")
        let names = try place.names
        #expect(names == [Self.first])
        let found = try Backup.verify(place.folder.appendingPathComponent(Self.first))
        #expect(found.storesCount == 1 && found.problems.isEmpty)
        // NB: the database's clock also counts the time that the test takes.
        place.pass(seconds: 86_400 - 600)
        #expect(await other.makeIfDue().name == "notDue")
        place.pass(seconds: 600)
        #expect(await other.makeIfDue().name == "made")
        #expect(await one.makeIfDue().name == "notDue")
        place.pass(seconds: 86_400)
        #expect(await one.makeIfDue().name == "made")
        // Two backups are kept.
        let later = try place.names
        #expect(later == ["2027-01-16T080000Z", "2027-01-17T080000Z"])
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
        let paused = Interrupted(nodes[0].backupTurns, at: .renewal) {
          place.pass(seconds: BackgroundWork.leaseSeconds + 1)
          let lease = try await other.take()
          #expect(lease != nil)
        }
        #expect(await place.backups(of: paused).makeIfDue().name == "givenUp")
        let names = try place.names
        #expect(names == [])
        #expect(BackupHistory(of: place.shared).record == BackupRecord())
        #expect(await place.backups(of: other).makeIfDue().name == "made")
        let later = try place.names
        #expect(later.count == 1)
      }
    }

    @Test func `a node that pauses before the end of its backup removes it after a newer one`()
      async throws
    {
      try await withPlace { place, nodes in
        let other = place.backups(of: nodes[1].backupTurns)
        let paused = Interrupted(nodes[0].backupTurns, at: .note) {
          let names = try place.names
          #expect(names == [Self.first])
          place.pass(seconds: BackgroundWork.leaseSeconds + 1)
          let outcome = await other.makeIfDue()
          #expect(outcome.name == "made")
        }
        #expect(await place.backups(of: paused).makeIfDue().name == "givenUp")
        let names = try place.names
        #expect(names == ["2027-01-15T080011Z"])
        let newer = place.folder.appendingPathComponent("2027-01-15T080011Z")
        #expect(BackupHistory(of: place.shared).record.folder == newer.path)
        #expect(await other.makeIfDue().name == "notDue")
      }
    }

    @Test func `the only complete backup stays although its node has lost the lease`()
      async throws
    {
      try await withPlace { place, nodes in
        let other = nodes[1].backupTurns
        let paused = Interrupted(nodes[0].backupTurns, at: .note) {
          place.pass(seconds: BackgroundWork.leaseSeconds + 1)
          let lease = try await other.take()
          #expect(lease != nil)
        }
        #expect(await place.backups(of: paused).makeIfDue().name == "givenUp")
        let names = try place.names
        #expect(names == [Self.first])
        #expect(await place.backups(of: other).makeIfDue().name == "made")
        let later = try place.names
        #expect(later == [Self.first, "2027-01-15T080011Z"])
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
        #expect(await other.makeIfDue().name == "notDue")
        let names = try place.names
        #expect(names == [partial.lastPathComponent])
        place.pass(seconds: BackgroundWork.leaseSeconds + 1)
        #expect(await other.makeIfDue().name == "made")
        let later = try place.names
        #expect(later == ["2027-01-15T080011Z"])
      }
    }

    @Test func `after a failure, all nodes wait for an hour, and the doctor reports the failure`()
      async throws
    {
      try await withPlace { place, nodes in
        // A file is in the place of the folder, so no backup can be made.
        try Data().write(to: place.folder)
        #expect(await place.backups(of: nodes[0].backupTurns).makeIfDue().name == "failed")
        #expect(await place.findings().contains("problem backup-failed"))
        try FileManager.default.removeItem(at: place.folder)
        let other = place.backups(of: nodes[1].backupTurns)
        place.pass(seconds: 3_600 - 600)
        #expect(await other.makeIfDue().name == "notDue")
        place.pass(seconds: 600)
        #expect(await other.makeIfDue().name == "made")
        #expect(await place.findings().contains("note backup-latest"))
      }
    }

    @Test func `a node that drains begins no backup`() async throws {
      try await withPlace { place, nodes in
        let draining = place.backups(of: nodes[0].backupTurns, mayBegin: { false })
        #expect(await draining.makeIfDue().name == "notDue")
        #expect(await place.backups(of: nodes[1].backupTurns).makeIfDue().name == "made")
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
        let names = try place.names
        #expect(names == [])
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

  extension NodeBackups.Outcome {
    fileprivate var name: String {
      switch self {
      case .notDue: "notDue"
      case .made: "made"
      case .givenUp: "givenUp"
      case .ended: "ended"
      case .failed: "failed"
      case .unknown(let error): "unknown: \(error.facts)"
      }
    }
  }
#endif
