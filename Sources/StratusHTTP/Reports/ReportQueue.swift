import Dispatch
import Synchronization

/// The parts of a ``RequestReport`` that take time to make. They are made only if an observer reads
/// them.
public struct ReportDetails: Sendable, Hashable {
  /// Whether reports have ``RequestReport/traceParent``.
  public var hasTraceParents = false
  /// Whether reports have ``RequestReport/query``.
  public var hasQueries = false
  /// The duration from which reports have ``RequestReport/query`` and ``RequestReport/plan``, in
  /// milliseconds, or nil if there is no such duration.
  public var plansFrom: Int64?

  public init(
    hasTraceParents: Bool = false, hasQueries: Bool = false, plansFrom: Int64? = nil
  ) {
    self.hasTraceParents = hasTraceParents
    self.hasQueries = hasQueries
    self.plansFrom = plansFrom
  }

  mutating func add(_ other: ReportDetails) {
    hasTraceParents = hasTraceParents || other.hasTraceParents
    hasQueries = hasQueries || other.hasQueries
    if let from = other.plansFrom { plansFrom = min(plansFrom ?? from, from) }
  }
}

extension ReportDetails {
  /// The properties in one number, which is never 0. The upper bits have the duration, plus one.
  fileprivate var bits: UInt64 {
    var bits: UInt64 = 1
    if hasQueries { bits |= 2 }
    if hasTraceParents { bits |= 4 }
    if let plansFrom { bits |= (UInt64(min(max(plansFrom, 0), 1 << 60)) + 1) << 3 }
    return bits
  }

  fileprivate init(bits: UInt64) {
    let duration = Int64(bits >> 3)
    self.init(
      hasTraceParents: bits & 4 != 0, hasQueries: bits & 2 != 0,
      plansFrom: duration == 0 ? nil : duration - 1)
  }
}

/// Gets the reports of requests, for example to write them to the log.
public protocol RequestObserver: Sendable {
  /// The parts of reports that the observer reads. After a change, ``ReportQueue/readDetails()``
  /// must be called.
  var details: ReportDetails { get }

  /// Notes requests that were answered, in about the order of their answers.
  ///
  /// NB: the queue calls its observers one after the other, so an observer must not wait for a disk
  /// or a network.
  func note(_ reports: [RequestReport])
}

/// Passes the reports of requests to observers, shortly after the requests are answered.
///
/// The queue collects reports for a short time. Then one thread passes all of them to the
/// observers. So no request waits for an observer. The work also takes less processor time than it
/// would take after each request, because the same code and data are used many times in a row.
public final class ReportQueue: Sendable {
  private struct State {
    var waiting: [RequestReport] = []
    var isScheduled = false
  }

  /// The time for which reports are collected, in milliseconds.
  private static let pauseMilliseconds = 50
  private let observers = Mutex<[any RequestObserver]>([])
  /// The parts of reports that the observers read, or 0 if there is no observer. NB: each request
  /// reads this number, so that it needs no lock and does not ask all observers.
  private let detailBits = Atomic<UInt64>(0)
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "stratus.reports")
  private let waitingMax: Int

  /// - Parameter waitingMax: the maximum number of reports that wait. A request that reaches it
  ///   waits until the observers have them, so the memory of the queue is bounded.
  public init(waitingMax: Int = 4_096) { self.waitingMax = waitingMax }

  /// Adds an observer. It gets the reports of later requests.
  public func add(_ observer: any RequestObserver) {
    observers.withLock { $0.append(observer) }
    readDetails()
  }

  /// Asks the observers which parts of reports they read.
  public func readDetails() {
    observers.withLock { observers in
      if observers.isEmpty { return }
      let details = observers.reduce(into: ReportDetails()) { $0.add($1.details) }
      detailBits.store(details.bits, ordering: .relaxed)
    }
  }

  /// The parts of reports that the observers read, or nil if there is no observer.
  var details: ReportDetails? {
    let bits = detailBits.load(ordering: .relaxed)
    return bits == 0 ? nil : ReportDetails(bits: bits)
  }

  /// Adds the report of a request that was answered.
  func add(_ report: RequestReport) {
    let (isFirst, isFull) = state.withLock { state in
      state.waiting.append(report)
      defer { state.isScheduled = true }
      return (!state.isScheduled, state.waiting.count >= waitingMax)
    }
    if isFull {
      flush()
    } else if isFirst {
      queue.asyncAfter(deadline: .now() + .milliseconds(Self.pauseMilliseconds)) { self.pass() }
    }
  }

  /// Passes all waiting reports to the observers, and returns when this is done.
  public func flush() { queue.sync { pass() } }

  private func pass() {
    let reports = state.withLock { state in
      defer { state = State() }
      return state.waiting
    }
    if reports.isEmpty { return }
    for observer in observers.withLock({ $0 }) { observer.note(reports) }
  }
}
