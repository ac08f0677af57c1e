import StratusKit
import StratusTransport
import Synchronization

/// The pending faults, in the order in which the test added them.
final class FaultBook: Sendable {
  /// The effect of a fault on a request.
  enum Fault: Sendable {
    case error(CKError.Code, retryAfterSeconds: Double?)
    case disturbance(TestDisturbance.Kind)
  }

  private struct Entry {
    let requests: TestRequests
    let fault: Fault
    /// The number of requests that the fault will still affect. nil means all requests.
    var remaining: Int?
  }

  private let entries = Mutex<[Entry]>([])

  func add(_ fault: Fault, to requests: TestRequests, times: Int?) {
    if let times, times < 1 { return }
    entries.withLock {
      $0.append(Entry(requests: requests, fault: fault, remaining: times))
    }
  }

  func clear() { entries.withLock { $0 = [] } }

  /// The number of faults that will still affect requests.
  var count: Int { entries.withLock(\.count) }

  /// Returns the first fault that matches a request, and counts the fault as used once.
  func take(for request: DeviceRequest) -> (requests: TestRequests, fault: Fault)? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { request.isOne(of: $0.requests) }) else {
        return nil
      }
      let entry = entries[index]
      if let remaining = entry.remaining {
        if remaining == 1 {
          entries.remove(at: index)
        } else {
          entries[index].remaining = remaining - 1
        }
      }
      return (entry.requests, entry.fault)
    }
  }
}
