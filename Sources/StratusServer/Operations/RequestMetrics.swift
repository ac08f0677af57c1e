import CoreMetrics
import StratusDomain
import StratusHTTP
import Synchronization

/// Counts requests for Prometheus, by route and outcome.
///
/// NB: no label contains a name that a caller chooses, such as a container or a user. The number of
/// series is therefore bounded.
final class RequestMetrics: RequestObserver {
  private struct Key: Hashable {
    var route: String
    var outcome: String
  }

  private struct Handles {
    var count: Counter
    var time: Timer
    var bytesIn: Counter
    var bytesOut: Counter
    var steps: Counter
  }

  private let factory: any MetricsFactory
  private let handles = Mutex<[Key: Handles]>([:])

  init(factory: any MetricsFactory) { self.factory = factory }

  var details: ReportDetails { ReportDetails() }

  func note(_ reports: [RequestReport]) {
    var rest = reports[...]
    while let first = rest.first {
      let key = Key(route: first.route, outcome: first.outcome)
      // Neighbouring requests of the same kind are summed first, because adding to a metric costs
      // more than adding numbers.
      let same = rest.prefix { $0.route == key.route && $0.outcome == key.outcome }
      count(same, as: key)
      rest = rest[same.endIndex...]
    }
  }

  private func count(_ reports: ArraySlice<RequestReport>, as key: Key) {
    let handles = handles.withLock { handles in
      if let known = handles[key] { return known }
      let made = make(key)
      handles[key] = made
      return made
    }
    var (bytesIn, bytesOut, steps) = (0, 0, 0)
    for report in reports {
      bytesIn += report.bytesIn
      bytesOut += report.bytesOut
      steps += report.steps
      handles.time.recordNanoseconds(report.nanoseconds)
    }
    handles.count.increment(by: reports.count)
    handles.bytesIn.increment(by: bytesIn)
    handles.bytesOut.increment(by: bytesOut)
    handles.steps.increment(by: steps)
  }

  private func make(_ key: Key) -> Handles {
    let route = [("route", key.route)]
    return Handles(
      count: Counter(
        label: "stratus_requests_total", dimensions: route + [("outcome", key.outcome)],
        factory: factory),
      time: Timer(label: "stratus_request_seconds", dimensions: route, factory: factory),
      bytesIn: Counter(
        label: "stratus_request_bytes_total", dimensions: route, factory: factory),
      bytesOut: Counter(
        label: "stratus_answer_bytes_total", dimensions: route, factory: factory),
      steps: Counter(label: "stratus_work_steps_total", dimensions: route, factory: factory))
  }
}
