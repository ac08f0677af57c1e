import HTTPTypes
import Instrumentation
import StratusDomain
import StratusHTTP
import StratusWire
import Synchronization
import Tracing

/// Makes a span for some of the requests. A span does not contain the contents of the request.
///
/// A request is traced if its caller records the trace. If the caller sends no trace, a random
/// fraction of the requests is traced. The number of spans in a second is limited, so that callers
/// cannot fill the disk.
final class RequestTraces: RequestObserver {
  private struct Budget {
    var second: Int64 = 0
    var count = 0
  }

  /// The maximum number of spans in a second.
  private static let spansPerSecondMax = 200

  let details = ReportDetails(hasTraceParents: true, hasQueries: true)
  private let tracer: FileTracer
  private let ratio: Double
  private let chance: @Sendable () -> Double
  private let budget = Mutex(Budget())

  /// - Parameters:
  ///   - ratio: the fraction of requests to trace, 0 to 1. It applies if the caller sends no trace.
  ///   - chance: returns a random number in 0 ..< 1.
  init(tracer: FileTracer, ratio: Double, chance: @escaping @Sendable () -> Double) {
    self.tracer = tracer
    self.ratio = ratio
    self.chance = chance
  }

  func note(_ reports: [RequestReport]) {
    for report in reports { trace(report) }
  }

  private func trace(_ report: RequestReport) {
    var context = InstrumentationContext.topLevel
    if let parent = report.traceParent {
      tracer.extract(parent, into: &context, using: ParentField())
    }
    guard context.traceContext?.isSampled ?? (ratio > 0 && chance() < ratio) else { return }
    let end = report.endedAt
    let isWithin = budget.withLock { budget in
      let second = end / 1_000
      // Reports of requests that ended at about the same time may come in another order.
      if second > budget.second || second < budget.second - 1 { budget = Budget(second: second) }
      budget.count += 1
      return budget.count <= Self.spansPerSecondMax
    }
    guard isWithin else { return }
    let endNanoseconds = UInt64(max(0, end)) * 1_000_000
    let length = min(UInt64(max(0, report.microseconds)) * 1_000, endNanoseconds)
    let endedAt = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: endNanoseconds)
    let beganAt = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: endNanoseconds - length)
    let span = tracer.startSpan(
      report.route, context: context, ofKind: .server, at: beganAt, function: #function,
      file: #fileID, line: #line)
    var attributes: SpanAttributes = [:]
    attributes["http.request.method"] = report.method
    attributes["http.route"] = report.route
    attributes["http.response.status_code"] = report.status
    attributes["stratus.request_id"] = report.requestID
    attributes["stratus.outcome"] = report.outcome
    attributes["stratus.steps"] = report.steps
    if let address = report.address {
      attributes["stratus.container"] = address.store.loggedContainer
      attributes["stratus.environment"] = address.store.environment.rawValue
      attributes["stratus.database"] = address.scope.rawValue
    }
    if let query = report.query { attributes["stratus.query"] = query }
    span.attributes = attributes
    if report.status >= 500 { span.setStatus(SpanStatus(code: .error)) }
    span.end(at: endedAt)
  }
}

/// Takes the context of a trace from the value of the field `traceparent`.
private struct ParentField: Extractor {
  func extract(key: String, from carrier: String) -> String? { carrier }
}
