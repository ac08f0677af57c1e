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

  var readsQueries: Bool { false }

  func note(_ reports: [RequestReport]) {
    for report in reports { count(report) }
  }

  private func count(_ report: RequestReport) {
    let key = Key(route: report.route, outcome: report.outcome)
    let handles = handles.withLock { handles in
      if let known = handles[key] { return known }
      let made = make(key)
      handles[key] = made
      return made
    }
    handles.count.increment()
    let parts = report.duration.components
    handles.time.recordNanoseconds(
      parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    handles.bytesIn.increment(by: report.bytesIn)
    handles.bytesOut.increment(by: report.bytesOut)
    handles.steps.increment(by: report.caller.work.steps)
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
