public import StratusTransport
import Synchronization

/// A queue of values. Tasks that wait get the values in order.
public final class Handoff<Thing: Sendable>: Sendable {
  private struct State {
    var things: [Thing] = []
    var waiting: [Int: CheckedContinuation<Thing?, Never>] = [:]
    var next = 0
  }
  private let state = Mutex(State())

  public init() {}

  public func put(_ thing: Thing) {
    let waiter = state.withLock { state -> CheckedContinuation<Thing?, Never>? in
      guard let first = state.waiting.keys.min() else {
        state.things.append(thing)
        return nil
      }
      return state.waiting.removeValue(forKey: first)
    }
    waiter?.resume(returning: thing)
  }

  /// Waits for the next value. Returns nil if the task was cancelled.
  public func take() async -> Thing? {
    let place = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now: Thing?? = state.withLock { state in
          if !state.things.isEmpty { return .some(.some(state.things.removeFirst())) }
          if Task.isCancelled { return .some(nil) }
          state.waiting[place] = continuation
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: place) }?.resume(returning: nil)
    }
  }
}

/// A network of streams. The test answers each request for a stream.
public final class ScriptedEvents: EventExchange {
  /// A request for a stream.
  public final class Opening: Sendable {
    public let request: HTTPRequest
    fileprivate let answer = Handoff<Result<EventAnswer, NetworkFailure>>()

    init(_ request: HTTPRequest) { self.request = request }

    public var lastEventID: String? { request.headers["Last-Event-ID"] }

    @discardableResult
    public func accept(epoch: String? = nil) -> ScriptedBody {
      let body = ScriptedBody()
      var headers = ["content-type": "text/event-stream"]
      headers["x-stratus-epoch"] = epoch
      answer.put(.success(EventAnswer(status: 200, headers: headers, body: body)))
      return body
    }

    public func refuse(_ status: Int, headers: [String: String] = [:]) {
      answer.put(.success(EventAnswer(status: status, headers: headers, body: ScriptedBody())))
    }

    public func fail(_ failure: NetworkFailure) { answer.put(.failure(failure)) }
  }

  private let openings = Handoff<Opening>()

  public init() {}

  /// Waits for the next request for a stream.
  public func opened() async throws -> Opening {
    guard let opening = await openings.take() else { throw CancellationError() }
    return opening
  }

  public func open(_ request: HTTPRequest) async throws(NetworkFailure) -> EventAnswer {
    let opening = Opening(request)
    openings.put(opening)
    switch await opening.answer.take() {
    case .success(let answer): return answer
    case .failure(let failure): throw failure
    case nil: throw .cancelled
    }
  }
}

/// The body of a stream. The test sends its bytes.
public final class ScriptedBody: EventBody {
  private enum Part: Sendable { case bytes([UInt8]), end, failure(NetworkFailure) }

  private let parts = Handoff<Part>()
  private let closing = Handoff<Void>()

  public func send(_ text: String) { parts.put(.bytes(Array(text.utf8))) }
  public func end() { parts.put(.end) }
  public func fail(_ failure: NetworkFailure) { parts.put(.failure(failure)) }

  public func next() async throws(NetworkFailure) -> [UInt8]? {
    switch await parts.take() {
    case .bytes(let bytes): return bytes
    case .end: return nil
    case .failure(let failure): throw failure
    case nil: throw .cancelled
    }
  }

  public func close() { closing.put(()) }

  /// Waits until the reader has closed the stream.
  public func closed() async { await closing.take() }

  /// Sends a notification about a change of the database.
  public func notify(_ number: Int64, id: String? = nil) {
    let id = id ?? "N-\(number)"
    send("id: \(number)\nevent: notification\ndata: \(databasePayload(id))\n\n")
  }
}

/// The payload of a notification about the private database.
public func databasePayload(_ id: String) -> String {
  #"{"aps":{"content-available":1},"ck":{"ce":2,"cid":"iCloud.org.example.App","nid":"\#(id)","#
    + #""ckuserid":"_me","met":{"sid":"all","dbs":2}}}"#
}
