public import StratusWire
import Synchronization

/// Keeps the newest requests of apps in memory, without their contents.
///
/// The log is off until ``keep()`` is called, and a restart of the server empties it. It never
/// delays a request: an entry is copied into a ring, and a slow listener loses entries.
public final class RequestLog: Sendable {
  private struct State {
    /// The newest entries. The entry with a number is at this number modulo the capacity.
    var ring: [RequestEntry] = []
    /// The number of all entries so far, which is also the number of the next one.
    var count = 0
    var isKept = false
    var listeners: [Int: AsyncStream<RequestEntry>.Continuation] = [:]
    var nextListener = 0
  }

  /// The entries that wait for one listener. Further ones replace the oldest.
  private static let waitingMax = 256
  private static let pageMax: Int64 = 1_000
  private static let pageDefault: Int64 = 100

  private let state = Mutex(State())
  private let capacity: Int

  public init(capacity: Int = Limits.requestLogEntriesMax) { self.capacity = capacity }

  /// Begins to keep requests.
  public func keep() { state.withLock { $0.isKept = true } }

  /// Whether requests are kept. If not, callers need not create entries.
  public var isKept: Bool { state.withLock { $0.isKept } }

  public func append(_ entry: RequestEntry) {
    state.withLock { state in
      guard state.isKept else { return }
      if state.ring.count < capacity {
        state.ring.append(entry)
      } else {
        state.ring[state.count % capacity] = entry
      }
      state.count += 1
      for listener in state.listeners.values { listener.yield(entry) }
    }
  }

  /// Returns the newest entries that a request asks for.
  ///
  /// - Throws: `BAD_REQUEST` for a position that is not one of this log, or if the log is off.
  func list(_ request: ListRequests.Request) throws(ServerError) -> ListRequests.Response {
    let limit = request.resultsLimit ?? Self.pageDefault
    guard (1...Self.pageMax).contains(limit) else {
      throw .badRequest("resultsLimit must be 1 to \(Self.pageMax)")
    }
    var before: Int?
    if let text = request.before {
      guard let number = Int(text), number >= 0 else {
        throw .badRequest("'before' is not a position of an earlier answer")
      }
      before = number
    }
    let (ring, count, isKept) = state.withLock { ($0.ring, $0.count, $0.isKept) }
    guard isKept else {
      throw .badRequest("the server keeps no requests; start it with --console-port")
    }
    var found: [RequestEntry] = []
    var number = min(before ?? count, count)
    let oldest = count - ring.count
    while number > oldest, found.count < Int(limit) {
      number -= 1
      let entry = ring[number % capacity]
      if request.includes(entry) { found.append(entry) }
    }
    return ListRequests.Response(
      requests: found, before: number > oldest ? String(number) : nil)
  }

  /// Returns the entries from now on.
  public func listen() -> AsyncStream<RequestEntry> {
    AsyncStream(bufferingPolicy: .bufferingNewest(Self.waitingMax)) { continuation in
      let id = state.withLock { state in
        state.nextListener += 1
        state.listeners[state.nextListener] = continuation
        return state.nextListener
      }
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
      }
    }
  }
}

/// Answers ``ListRequests``.
public struct ListRequestsHandler: ManagementHandler {
  public typealias Endpoint = ListRequests

  let log: RequestLog

  public init(log: RequestLog) { self.log = log }

  public func answer(
    _ request: ListRequests.Request
  ) async throws(ServerError) -> ListRequests.Response {
    try log.list(request)
  }
}
