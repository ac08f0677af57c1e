import CloudKit
import StratusTransport
import Synchronization

/// A network between a device and the server. It records all requests, and can break some of them.
final class Network: HTTPExchange {
  /// How the network handles one request.
  enum Fate: Sendable {
    case passes
    /// The server handles the request, but its answer does not arrive.
    case answerIsLost
    /// The server does not receive the request.
    case fails(NetworkFailure)
    /// An intermediary answers instead of the server.
    case isAnswered(status: Int, headers: [String: String], body: String)
    /// The request waits until the gate is open or the task is cancelled.
    case waits(Gate)
  }

  private let server: any HTTPExchange
  private let log = Mutex<[HTTPRequest]>([])
  private let fates: Mutex<[(path: String, fate: Fate)]>

  /// - Parameter fates: each fate applies once, to the next request whose path has the given
  ///   ending.
  init(to server: any HTTPExchange, _ fates: [(path: String, fate: Fate)] = []) {
    self.server = server
    self.fates = Mutex(fates)
  }

  /// All requests.
  var all: [HTTPRequest] { log.withLock { $0 } }

  /// The requests to an endpoint.
  func requests(_ path: String) -> [HTTPRequest] {
    log.withLock { $0.filter { $0.url.path.hasSuffix(path) } }
  }

  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    log.withLock { $0.append(request) }
    let fate = fates.withLock { fates in
      fates.firstIndex { request.url.path.hasSuffix($0.path) }.map { fates.remove(at: $0).fate }
    }
    switch fate ?? .passes {
    case .passes: return try await server.send(request)
    case .answerIsLost:
      _ = try await server.send(request)
      throw .lostAfterSending
    case .fails(let failure): throw failure
    case .isAnswered(let status, let headers, let body):
      return HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
    case .waits(let gate):
      await gate.pass()
      if Task.isCancelled { throw .cancelled }
      return try await server.send(request)
    }
  }
}

/// A gate at which callers wait. The gate opens if the test opens it, or if a waiting task is
/// cancelled.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var arrivals = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watching: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func pass() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOpen, watching) = state.withLock { state in
          state.arrivals += 1
          if !state.isOpen { state.waiting.append(continuation) }
          defer { state.watching = [] }
          return (state.isOpen, state.watching)
        }
        for watcher in watching { watcher.resume() }
        if isOpen { continuation.resume() }
      }
    } onCancel: {
      open()
    }
  }

  /// Waits until a caller has arrived at the gate.
  func arrival() async {
    await withCheckedContinuation { continuation in
      let hasCome = state.withLock { state in
        if state.arrivals == 0 { state.watching.append(continuation) }
        return state.arrivals > 0
      }
      if hasCome { continuation.resume() }
    }
  }
}

/// Collects lines of text in the order of the calls.
final class Journal: Sendable {
  private let lines = Mutex<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}
