import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Streams over Foundation's `URLSession`: each has a session, and so a connection, of its own.
public final class URLSessionEventExchange: EventExchange {
  /// An exchange.
  public init() {}

  public func open(_ request: HTTPRequest) async throws(NetworkFailure) -> EventAnswer {
    var sent = URLRequest(url: request.url)
    // NB: counted anew from each byte; see URLSessionExchange for why it is set so.
    sent.timeoutInterval = max(1, request.timeoutSeconds.rounded(.up))
    sent.httpMethod = request.method.rawValue
    for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
    let body = SessionBody()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    let session = URLSession(
      configuration: configuration, delegate: SessionDelegate(body: body), delegateQueue: nil)
    body.begin(session.dataTask(with: sent))
    // The session keeps its delegate until it is told that no more will come.
    session.finishTasksAndInvalidate()
    do throws(NetworkFailure) {
      let head = try await body.head()
      return EventAnswer(status: head.status, headers: head.headers, body: body)
    } catch {
      body.close()
      throw error
    }
  }
}

/// What has arrived of one stream, and who waits for it.
private final class SessionBody: EventBody {
  struct Head: Sendable {
    var status: Int
    var headers: [String: String]
  }

  private enum Ending { case complete, failed(NetworkFailure) }

  private struct State {
    var task: URLSessionDataTask?
    var head: Head?
    var bytes: [UInt8] = []
    var ending: Ending?
    /// Counts what has happened.
    var version = 0
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// Bytes that wait to be read. Who has more unread is not reading: the connection is given up,
  /// and the stream resumed once there is time for it.
  private static let unreadBytesMax = 4_194_304

  private let state = Mutex(State())

  func begin(_ task: URLSessionDataTask) {
    state.withLock { $0.task = task }
    task.resume()
  }

  func head() async throws(NetworkFailure) -> Head {
    while true {
      if Task.isCancelled { close() }
      let (head, ending, version) = state.withLock { ($0.head, $0.ending, $0.version) }
      if let head { return head }
      switch ending {
      case .failed(let failure): throw failure
      case .complete: throw .lostAfterSending
      case nil: await news(since: version)
      }
    }
  }

  func next() async throws(NetworkFailure) -> [UInt8]? {
    while true {
      if Task.isCancelled { close() }
      let (bytes, ending, version) = state.withLock { state in
        defer { state.bytes = [] }
        return (state.bytes, state.ending, state.version)
      }
      if !bytes.isEmpty { return bytes }
      switch ending {
      case .failed(let failure): throw failure
      case .complete: return nil
      case nil: await news(since: version)
      }
    }
  }

  func close() {
    end(.failed(.cancelled))
    state.withLock { $0.task }?.cancel()
  }

  func arrived(_ head: Head) { change { $0.head = head } }

  func arrived(_ bytes: Data) {
    change { $0.bytes += bytes }
    guard state.withLock({ $0.bytes.count > Self.unreadBytesMax }) else { return }
    end(.failed(.lostAfterSending))
    state.withLock { $0.task }?.cancel()
  }

  func ended(_ failure: NetworkFailure?) { end(failure.map(Ending.failed) ?? .complete) }

  private func end(_ ending: Ending) { change { if $0.ending == nil { $0.ending = ending } } }

  /// Changes what is known, and wakes who waits for it.
  private func change(_ body: (inout State) -> Void) {
    let waiter = state.withLock { state in
      body(&state)
      state.version += 1
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  private func news(since version: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if state.version == version { state.waiter = continuation }
          return state.version != version
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      close()
    }
  }
}

/// Hands what a session reports to a body.
private final class SessionDelegate: NSObject, URLSessionDataDelegate {
  private let body: SessionBody

  init(body: SessionBody) { self.body = body }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
    body.arrived(
      SessionBody.Head(
        status: response.statusCode, headers: URLSessionExchange.headers(of: response)))
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    body.arrived(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    body.ended(error.map(URLSessionExchange.failure))
  }
}
