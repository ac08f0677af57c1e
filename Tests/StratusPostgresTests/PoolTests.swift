#if Postgres
  import Foundation
  import StratusDomain
  import StratusSQL
  import Synchronization
  import Testing

  @testable import StratusPostgres

  /// These tests need no server. Their workers run nothing, and only record their work.
  @Suite struct `The lanes of a pool` {
    @Test func `lanes share a transaction while all threads work`() async {
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 1, lanesMax: 4)
      await record.occupy(1, of: pool)
      for number in 1...6 { pool.add(PoolJob(number, lane: number)) }
      await record.finish(pool)
      #expect(record.works == [[[1], [2], [3], [4]], [[5], [6]]])
    }

    /// The third thread begins when the lanes of a full transaction wait.
    @Test func `two threads work on short bodies, and a further one for each full transaction`()
      async
    {
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 4, lanesMax: 2)
      for number in 1...2 {
        pool.add(PoolJob(number, lane: number))
        await record.nextBegin()
      }
      pool.add(PoolJob(3, lane: 3))
      pool.add(PoolJob(4, lane: 4))
      await record.nextBegin()
      #expect(record.works == [[[1]], [[2]], [[3], [4]]])
      await record.finish(pool)
    }

    @Test func `each schema has threads for its short bodies`() async {
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 4, lanesMax: 8, laneThreads: 1)
      for (number, schema) in ["one", "other"].enumerated() {
        pool.add(PoolJob(number, lane: number, schema: schema))
        await record.nextBegin()
      }
      pool.add(PoolJob(2, lane: 2, schema: "one"))
      await record.finish(pool)
      #expect(record.works == [[[0]], [[1]], [[2]]])
    }

    /// The threads are held, so the third one begins only because of the time.
    @Test func `a further thread takes short bodies if the others do not get on`() async {
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 3, lanesMax: 8, stuckSeconds: 0.001)
      for number in 1...3 {
        pool.add(PoolJob(number, lane: number))
        await record.nextBegin()
      }
      #expect(record.works == [[[1]], [[2]], [[3]]])
      await record.finish(pool)
    }

    @Test func `a thread that waits for locks leaves its place to another thread`() async {
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 2, lanesMax: 8, laneThreads: 1)
      pool.add(PoolJob(1, lane: 1, waits: true))
      await record.nextBegin()
      pool.add(PoolJob(2, lane: 2))
      await record.nextBegin()
      #expect(record.works == [[[1]], [[2]]])
      await record.finish(pool)
    }

    @Test func `a body that is not short stays alone, also in the lane of short ones`() async {
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 1, lanesMax: 8)
      await record.occupy(1, of: pool)
      pool.add(PoolJob(1, lane: 1))
      pool.add(PoolJob(2, lane: 2, isShort: false))
      pool.add(PoolJob(3, lane: 3))
      pool.add(PoolJob(4, lane: 1, isShort: false))
      pool.add(PoolJob(5, lane: 1))
      await record.finish(pool)
      #expect(record.works == [[[1], [3]], [[2]], [[4]], [[5]]])
    }

    @Test func `a body without zones and a lane of another schema stay out of a group`() async {
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 1, lanesMax: 8)
      await record.occupy(1, of: pool)
      pool.add(PoolJob(1, lane: 1))
      pool.add(PoolJob(2, lane: nil))
      pool.add(PoolJob(3, lane: 3, schema: "other"))
      pool.add(PoolJob(4, lane: 4))
      pool.add(PoolJob(5, lane: nil))
      await record.finish(pool)
      #expect(record.works == [[[1], [4]], [[2]], [[3]], [[5]]])
    }

    @Test func `a transaction takes no more bodies of several lanes than of one`() async {
      let most = PostgresLimits.bodiesPerCommitMax
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 1, lanesMax: 8)
      await record.occupy(1, of: pool)
      pool.add(PoolJob(0, lane: 1))
      for number in 1...(most + 1) { pool.add(PoolJob(number, lane: 2)) }
      pool.add(PoolJob(most + 2, lane: 3))
      await record.finish(pool)
      #expect(record.works == [[[0], Array(1..<most)], [[most, most + 1], [most + 2]]])
    }

    /// The order of the names is an order of the databases, so that transactions change the rows of
    /// databases in the same order.
    @Test func `the bodies of a group run in the order of their zones' names`() async {
      let record = PoolRecord()
      let pool = record.pool(threadsMax: 1, lanesMax: 8)
      await record.occupy(1, of: pool)
      for (number, order) in ["c", "a", "d", "b"].enumerated() {
        pool.add(PoolJob(number, lane: number, order: order))
      }
      await record.finish(pool)
      #expect(record.works == [[[1], [3], [0], [2]]])
    }

    @Test func `no two threads work on a lane, and the bodies of a lane keep their order`() async {
      let record = PoolRecord(isHeld: false)
      let pool = record.pool(threadsMax: 3, lanesMax: 4)
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<4 {
          group.addTask {
            for number in 0..<600 {
              pool.add(PoolJob(number, lane: task * 3 + number % 3))
            }
          }
        }
      }
      await record.finish(pool)
      #expect(record.works.joined().joined().count == 4 * 600)
      #expect(record.overlapsCount == 0)
      #expect(record.swapsCount == 0)
    }
  }

  /// A body that does nothing.
  private final class PoolJob: PostgresJob {
    let number: Int
    let schema: String
    let locks: [Int64]
    let order: String
    let wish: ReadWish?
    /// Whether the body waits for its locks.
    let waits: Bool

    /// - Parameters:
    ///   - lane: the number of the only lock, or nil for a body without locks.
    ///   - isShort: whether the body is short. A body without locks is not.
    init(
      _ number: Int, lane: Int?, schema: String = "store", order: String? = nil,
      isShort: Bool = true, waits: Bool = false
    ) {
      self.number = number
      self.waits = waits
      wish =
        isShort && lane != nil ? ReadWish(database: .public, zone: "a", record: "b") : nil
      self.schema = schema
      locks = lane.map { [Int64($0)] } ?? []
      // NB: texts of equal length have the order of their numbers.
      self.order = order ?? String(10_000 + number)
    }

    func begin(on connection: PostgresConnection) {}

    func attempt(on connection: PostgresConnection) -> ServerError? { nil }

    func finish(failure: ServerError?) {}

    func forget(on connection: PostgresConnection) {}
  }

  /// Records which bodies the threads of a pool get together.
  private final class PoolRecord: Sendable {
    private struct State {
      /// For each transaction, the numbers of the bodies of each lane.
      var works: [[[Int]]] = []
      var active: Set<Int64> = []
      var newest: [Int64: Int] = [:]
      var overlapsCount = 0
      var swapsCount = 0
    }

    private let state = Mutex(State())
    private let isHeld: Bool
    private let gate = DispatchSemaphore(value: 0)
    private let beginnings: AsyncStream<Void>
    private let beginning: AsyncStream<Void>.Continuation

    /// - Parameter isHeld: whether each thread waits until ``finish(_:)`` is called.
    init(isHeld: Bool = true) {
      self.isHeld = isHeld
      let made = AsyncStream.makeStream(of: Void.self)
      beginnings = made.stream
      beginning = made.continuation
    }

    /// The transactions so far, except those of ``occupy(_:of:)``.
    var works: [[[Int]]] { state.withLock { $0.works.filter { $0 != [[Self.occupant]] } } }
    /// How often a lane was given to a thread while another thread worked on the lane.
    var overlapsCount: Int { state.withLock(\.overlapsCount) }
    /// How often a body was given to a thread after a later body of its lane.
    var swapsCount: Int { state.withLock(\.swapsCount) }

    func pool(
      threadsMax: Int, lanesMax: Int, laneThreads: Int = 2, stuckSeconds: Double = 1_000
    ) -> PostgresPool {
      PostgresPool(
        name: "test", threadsMax: threadsMax, waitingMax: 10_000, lanesMax: lanesMax,
        laneThreads: laneThreads, stuckSeconds: stuckSeconds,
        now: { Int64(Date().timeIntervalSince1970 * 1_000) }
      ) { _ in RecordingWorker(record: self) }
    }

    /// Gives a body to each thread, and waits until all threads work.
    func occupy(_ threadsCount: Int, of pool: PostgresPool) async {
      for _ in 0..<threadsCount {
        pool.add(PoolJob(Self.occupant, lane: nil))
        await nextBegin()
      }
    }

    func nextBegin() async { _ = await beginnings.first { _ in true } }

    /// Lets the threads continue, and waits until all bodies have run.
    func finish(_ pool: PostgresPool) async {
      for _ in 0..<1_000 { gate.signal() }
      await pool.close()
    }

    fileprivate func run(_ lanes: [[PoolJob]]) {
      state.withLock { state in
        state.works.append(lanes.map { $0.map(\.number) })
        for lock in lanes.compactMap({ $0.first?.locks.first }) {
          if !state.active.insert(lock).inserted { state.overlapsCount += 1 }
        }
        for job in lanes.joined() {
          guard let lock = job.locks.first else { continue }
          if let newest = state.newest[lock], job.number <= newest { state.swapsCount += 1 }
          state.newest[lock] = job.number
        }
      }
      beginning.yield()
      if isHeld { gate.wait() }
      state.withLock { state in
        for lock in lanes.joined().flatMap(\.locks) { state.active.remove(lock) }
      }
    }

    /// The number of the bodies that only keep threads occupied.
    private static let occupant = -1
  }

  private final class RecordingWorker: PostgresWorking {
    private let record: PoolRecord

    init(record: PoolRecord) { self.record = record }

    func run(_ lanes: [[any PostgresJob]], whenWaiting: () -> Void) {
      let jobs = lanes.map { $0.compactMap { $0 as? PoolJob } }
      if jobs.joined().contains(where: \.waits) { whenWaiting() }
      record.run(jobs)
      for job in lanes.joined() { job.finish(failure: nil) }
    }

    func close() {}
  }
#endif
