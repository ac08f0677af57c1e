import StratusDomain
import StratusWire

/// The bodies that wait for a writer's thread, and the order in which they run.
///
/// Bodies run in the order of their arrival, many in one transaction. While other callers write,
/// the bodies of a caller's expensive requests follow other rules, so that the others hardly wait:
/// - Such a body runs in a transaction of its own. A transaction of ordinary bodies comes first, if
///   any wait. After it, the expensive body runs, even if further bodies have arrived.
/// - If the last such body of a caller was short, the next one counts as ordinary. So the medium
///   saves of many callers share a commit.
/// - After a body that took long, the next expensive body of the same caller waits for a pause. The
///   bodies of ordinary requests run in the meantime.
///
/// All times are nanoseconds of one clock.
struct WriteQueue<Session> {
  typealias Body = any WaitingWrite<Session>

  /// The writer's next step.
  enum Choice {
    case run([Body])
    /// No body may run before this time, unless another body arrives.
    case wait(until: Int64)
    case nothing
  }

  /// A caller, and the time of its latest ordinary write.
  private struct Writer {
    let caller: String
    let time: Int64
  }

  private static var microsecond: Int64 { 1_000 }
  private static var commitsInAverage: Int64 { 16 }
  /// The time up to which a body is short.
  private static var shortNanoseconds: Int64 { Limits.writerHoldMicroseconds * microsecond }
  /// The maximum number of bodies of expensive requests that count as ordinary in a transaction.
  /// Choice: usually they hold the writer for less than 12 ms together.
  private static var shortBodiesMax: Int { 4 }
  private static var shortCallersMax: Int { 10_000 }
  /// The time after an ordinary write for which its caller counts as active.
  private static var activeNanoseconds: Int64 { 1_000_000_000 }

  private var bodies: [Body] = []
  /// The number of bodies of expensive requests in ``bodies``.
  private var expensiveCount = 0
  /// The caller of the latest ordinary write.
  private var latest: Writer?
  /// The caller of the latest ordinary write that was not by the caller of ``latest``.
  private var other: Writer?
  /// The times at which the pauses of callers end.
  private var pauseEnds: [String: Int64] = [:]
  /// The callers whose last body of an expensive request was short.
  private var shortCallers: Set<String> = []
  /// Whether ordinary bodies were just taken, although an expensive body could run.
  private var isExpensiveNext = false
  /// The average time of the last commits of ordinary bodies, or nil if there was none.
  private var usualCommit: Int64?

  var count: Int { bodies.count }

  mutating func add(_ body: Body, at now: Int64) {
    bodies.append(body)
    guard let origin = body.origin else { return }
    if origin.isExpensive { expensiveCount += 1 } else { note(origin.caller, at: now) }
  }

  /// Puts bodies back that were taken and did not run.
  mutating func putBack(_ taken: ArraySlice<Body>) {
    expensiveCount += taken.count(where: { $0.isExpensive })
    bodies.insert(contentsOf: taken, at: 0)
  }

  /// Takes the bodies of the next transaction.
  ///
  /// - Parameter inOrder: whether to ignore the rules for expensive requests.
  mutating func take(at now: Int64, inOrder: Bool) -> Choice {
    if bodies.isEmpty { return .nothing }
    if inOrder || expensiveCount == 0 {
      return .run(remove(Array(bodies.indices.prefix(SQLiteSettings.bodiesPerCommitMax))))
    }
    var ordinary: [Int] = []
    var shortCount = 0
    var expensive: Int?
    var next = Int64.max
    for index in bodies.indices where ordinary.count < SQLiteSettings.bodiesPerCommitMax {
      guard let caller = bodies[index].expensiveCaller, let end = othersActive(than: caller),
        end > now
      else {
        ordinary.append(index)
        continue
      }
      if let pauseEnd = pauseEnds[caller], pauseEnd > now {
        next = min(next, pauseEnd, end)
      } else if !shortCallers.contains(caller) {
        expensive = expensive ?? index
      } else if shortCount < Self.shortBodiesMax {
        shortCount += 1
        ordinary.append(index)
      }
    }
    if !ordinary.isEmpty, !isExpensiveNext || expensive == nil {
      isExpensiveNext = expensive != nil
      return .run(remove(ordinary))
    }
    isExpensiveNext = false
    if let expensive { return .run(remove([expensive])) }
    return .wait(until: next)
  }

  /// Notes that a transaction has ended. A long transaction of an expensive request is followed by
  /// a pause.
  ///
  /// Twice the time of a usual commit does not count. It depends on the disk, every write needs
  /// it, and it varies. But a commit takes longer if it writes many pages.
  ///
  /// - Parameters:
  ///   - works: the time of each body.
  ///   - commit: the time of the commit.
  mutating func noteEnd(of taken: [Body], works: [Int64], commit: Int64, at now: Int64) {
    guard taken.contains(where: { $0.isExpensive }) else {
      usualCommit = usualCommit.map { $0 + (commit - $0) / Self.commitsInAverage } ?? commit
      return
    }
    let excess = taken.count == 1 ? max(0, commit - 2 * (usualCommit ?? commit)) : 0
    for (body, work) in zip(taken, works) {
      if let caller = body.expensiveCaller { noteExpensive(caller, held: work + excess, at: now) }
    }
  }

  private mutating func noteExpensive(_ caller: String, held: Int64, at now: Int64) {
    if held > Self.shortNanoseconds {
      shortCallers.remove(caller)
    } else {
      if shortCallers.count >= Self.shortCallersMax { shortCallers = [] }
      shortCallers.insert(caller)
    }
    let excess = held - Self.shortNanoseconds
    if excess <= 0 { return }
    let pause = min(
      excess * Limits.writerPauseFactor,
      Limits.writerPauseMicrosecondsMax * Self.microsecond)
    pauseEnds = pauseEnds.filter { $0.value > now }
    pauseEnds[caller] = now + pause
  }

  private mutating func note(_ caller: String, at now: Int64) {
    if let latest, latest.caller != caller { other = latest }
    latest = Writer(caller: caller, time: now)
  }

  /// Returns the time until which the last ordinary write of another caller counts as recent, or
  /// nil if no other caller has written.
  private func othersActive(than caller: String) -> Int64? {
    let writer = latest?.caller == caller ? other : latest
    return writer.map { $0.time + Self.activeNanoseconds }
  }

  /// Removes and returns bodies.
  ///
  /// - Parameter indices: the indices of the bodies in ascending order.
  private mutating func remove(_ indices: [Int]) -> [Body] {
    let taken = indices.map { bodies[$0] }
    expensiveCount -= taken.count(where: { $0.isExpensive })
    if indices.last == indices.count - 1 {
      bodies.removeFirst(indices.count)
      return taken
    }
    var rest = indices[...]
    var kept: [Body] = []
    kept.reserveCapacity(bodies.count - indices.count)
    for index in bodies.indices {
      if rest.first == index { rest.removeFirst() } else { kept.append(bodies[index]) }
    }
    bodies = kept
    return taken
  }
}

extension WaitingWrite {
  fileprivate var isExpensive: Bool { origin?.isExpensive ?? false }

  /// The caller of the request if the request is expensive.
  fileprivate var expensiveCaller: String? {
    guard let origin, origin.isExpensive else { return nil }
    return origin.caller
  }
}
