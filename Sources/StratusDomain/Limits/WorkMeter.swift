public import StratusWire
import Synchronization

/// Counts the work for one request. The work is charged to the caller of the request afterwards. If
/// requests are logged, the meter also keeps a report on the request's query.
public final class WorkMeter: Sendable {
  private let count = Atomic<Int>(0)
  private let isReporting = Atomic(false)
  private let report = Mutex<QueryReport?>(nil)

  public init() {}

  /// Adds steps of work. One step takes about 1 µs.
  func add(steps: Int) { count.wrappingAdd(max(0, steps), ordering: .relaxed) }

  /// The number of steps added so far.
  public var steps: Int { count.load(ordering: .relaxed) }

  /// Begins to keep the report of a query.
  public func reportQueries() { isReporting.store(true, ordering: .relaxed) }

  /// The form of the request's query, or nil if there is none.
  public var queryForm: String? { report.withLock { $0?.form } }

  /// How the request's query was answered. It is nil if there is none, or if it has no plan.
  public var queryExplanation: QueryExplanation? { report.withLock { $0?.explanation } }

  /// Keeps the query of the request, if reports are kept.
  func note(_ query: Query) {
    guard isReporting.load(ordering: .relaxed) else { return }
    report.withLock { $0 = QueryReport(query: query) }
  }

  /// Adds one read of the query to its report, if reports are kept.
  func note(_ plan: QueryPlan?, entriesRead: Int, recordsRead: Int) {
    guard isReporting.load(ordering: .relaxed) else { return }
    report.withLock { report in
      report?.plan = plan
      report?.entriesRead += entriesRead
      report?.recordsRead += recordsRead
    }
  }
}

// NB: all meters compare as equal, because the cost of a request is not part of its caller's
// identity.
extension WorkMeter: Hashable {
  public static func == (left: WorkMeter, right: WorkMeter) -> Bool { true }

  public func hash(into hasher: inout Hasher) {}
}
