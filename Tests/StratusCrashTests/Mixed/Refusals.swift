import StratusTransport
import StratusWire
import Synchronization

/// Counts the writes that the server refused because its disk was full.
final class Refusals: Sendable {
  private let counted = Mutex(0)

  var total: Int { counted.withLock { $0 } }

  func count() { counted.withLock { $0 += 1 } }
}

extension TransportFailure {
  /// Whether the server stored nothing and requests a retry, as it does if its disk is full.
  var isOfFullDisk: Bool {
    if case .refused(let error, status: 503, _) = self {
      error.code == .tryAgainLater
    } else {
      false
    }
  }
}
