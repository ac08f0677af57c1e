import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Collects a response as it arrives, and resumes the callers that wait for it.
final class ArrivingAnswer: EventBody {
  struct Head: Sendable {
    var status: Int
    /// The header fields, with names in lower case.
    var headers: [String: String]
  }

  private enum Ending { case complete, failed(NetworkFailure) }

  /// The part of the response that a caller waits for.
  private enum Wanted { case head, bytes, end }

  private struct State {
    var task: HTTPClient.Task<Void>?
    /// Whether the server may have received a part of the request.
    var isSent = false
    var head: Head?
    var bytes: [UInt8] = []
    /// Whether the body is larger than the limit. `bytes` is empty in that case.
    var isTooLarge = false
    var ending: Ending?
    var waiter: (wanted: Wanted, continuation: CheckedContinuation<Void, Never>)?
    /// The promise that suspends reading from the server until a caller has read the buffered
    /// bytes.
    var held: EventLoopPromise<Void>?
    /// The time of the last event of the request.
    var heardAt = NIODeadline.now()
    var silence: Scheduled<Void>?
    /// The timer that ends the response at the deadline.
    var overtime: Scheduled<Void>?

    func has(_ wanted: Wanted) -> Bool {
      if ending != nil { return true }
      return switch wanted {
      case .head: head != nil
      case .bytes: !bytes.isEmpty
      case .end: false
      }
    }
  }

  /// The number of buffered bytes above which reading from the server is suspended.
  private static let unreadBytesMax = 1_048_576

  private let holdsUnread: Bool
  private let bytesMax: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - holdsUnread: whether reading from the server is suspended while the reader is slow.
  ///     Otherwise the whole response is buffered.
  ///   - bytesMax: the maximum number of bytes of a response that is buffered completely.
  init(holdsUnread: Bool, bytesMax: Int) {
    self.holdsUnread = holdsUnread
    self.bytesMax = bytesMax
  }

  /// Stores the task that stops the request, and starts the time limits.
  ///
  /// - Parameters:
  ///   - timeoutSeconds: the longest time without an event of the request.
  ///   - deadline: the time at which the request ends, even if the response is incomplete. nil
  ///     means no deadline.
  func begin(_ task: HTTPClient.Task<Void>, timeoutSeconds: Double, deadline: NIODeadline?) {
    let hasEnded = state.withLock { state in
      state.task = task
      return state.ending != nil
    }
    if hasEnded { return task.cancel() }
    listen(for: TimeAmount(boundedSeconds: timeoutSeconds), on: task.eventLoop)
    guard let deadline else { return }
    state.withLock { state in
      guard state.ending == nil else { return }
      state.overtime = task.eventLoop.scheduleTask(deadline: deadline) { [weak self] in
        self?.stop(.failed(.timedOut))
      }
    }
  }

  /// Ends the response and cancels the request.
  private func stop(_ ending: Ending) {
    end(ending)
    state.withLock { $0.task }?.cancel()
  }

  /// - Throws: ``NetworkFailure`` if no head arrived.
  func head() async throws(NetworkFailure) -> Head {
    await wait(for: .head)
    let (head, ending) = state.withLock { ($0.head, $0.ending) }
    if let head { return head }
    throw Self.failure(ending)
  }

  /// Waits for the head and all bytes, and returns them.
  ///
  /// - Throws: ``NetworkFailure`` if the response is incomplete.
  func whole() async throws(NetworkFailure) -> HTTPResponse {
    await wait(for: .end)
    let (head, bytes, isTooLarge, ending) = state.withLock {
      ($0.head, $0.bytes, $0.isTooLarge, $0.ending)
    }
    guard case .complete = ending, let head else { throw Self.failure(ending) }
    return HTTPResponse(
      status: head.status, headers: head.headers, body: bytes, isTooLarge: isTooLarge)
  }

  func next() async throws(NetworkFailure) -> [UInt8]? {
    await wait(for: .bytes)
    let (bytes, ending, held) = state.withLock { state in
      defer { (state.bytes, state.held) = ([], nil) }
      return (state.bytes, state.ending, state.held)
    }
    held?.succeed()
    if !bytes.isEmpty { return bytes }
    if case .complete = ending { return nil }
    throw Self.failure(ending)
  }

  func close() { stop(.failed(.cancelled)) }

  private static func failure(_ ending: Ending?) -> NetworkFailure {
    if case .failed(let failure) = ending { return failure }
    return .lostAfterSending
  }

  private func wait(for wanted: Wanted) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.has(wanted) { return true }
          state.waiter = (wanted, continuation)
          return false
        }
        if isThere { continuation.resume() }
      }
    } onCancel: {
      close()
    }
  }

  /// Changes the state, and resumes the caller that waits for the change.
  private func change(_ body: (inout State) -> Void) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.ending == nil else { return nil }
      body(&state)
      state.heardAt = .now()
      guard let waiter = state.waiter, state.has(waiter.wanted) else { return nil }
      state.waiter = nil
      return waiter.continuation
    }
    continuation?.resume()
  }

  private func end(_ ending: Ending) {
    change { $0.ending = ending }
    let (silence, overtime, held) = state.withLock { state in
      defer { (state.silence, state.overtime, state.held) = (nil, nil, nil) }
      return (state.silence, state.overtime, state.held)
    }
    silence?.cancel()
    overtime?.cancel()
    held?.succeed()
  }

  /// Ends the response if no event of the request occurs within this time.
  private func listen(for longest: TimeAmount, on loop: any EventLoop) {
    state.withLock { state in
      guard state.ending == nil else { return }
      // While reading from the server is suspended, the silence of the server does not count.
      let heardAt = state.held == nil ? state.heardAt : .now()
      state.silence = loop.scheduleTask(deadline: heardAt + longest) { [weak self] in
        guard let self else { return }
        let isSilent = self.state.withLock {
          $0.held == nil && $0.heardAt + longest <= .now()
        }
        guard isSilent else { return self.listen(for: longest, on: loop) }
        self.stop(.failed(.timedOut))
      }
    }
  }
}

extension ArrivingAnswer: HTTPClientResponseDelegate {
  typealias Response = Void

  func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
    change { $0.isSent = true }
  }

  func didReceiveHead(
    task: HTTPClient.Task<Void>, _ head: HTTPResponseHead
  ) -> EventLoopFuture<Void> {
    let headers = head.headers.map { ($0.name.lowercased(), $0.value) }
    let status = Int(head.status.code)
    change {
      $0.head = Head(status: status, headers: Dictionary(headers) { _, last in last })
    }
    let announced = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
    if !holdsUnread && announced > bytesMax { stopTooLarge() }
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didReceiveBodyPart(
    task: HTTPClient.Task<Void>, _ buffer: ByteBuffer
  ) -> EventLoopFuture<Void> {
    let isTooLarge = state.withLock {
      !holdsUnread && $0.bytes.count + buffer.readableBytes > bytesMax
    }
    if isTooLarge {
      stopTooLarge()
      return task.eventLoop.makeSucceededVoidFuture()
    }
    change { $0.bytes += buffer.readableBytesView }
    let held = state.withLock { state -> EventLoopPromise<Void>? in
      guard holdsUnread, state.ending == nil, state.bytes.count > Self.unreadBytesMax else {
        return nil
      }
      state.held = task.eventLoop.makePromise()
      return state.held
    }
    return held?.futureResult ?? task.eventLoop.makeSucceededVoidFuture()
  }

  /// Ends a response that is too large. The head is kept, and the body is dropped.
  private func stopTooLarge() {
    change {
      $0.isTooLarge = true
      $0.bytes = []
    }
    stop(.complete)
  }

  func didFinishRequest(task: HTTPClient.Task<Void>) { end(.complete) }

  func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
    let isSent = state.withLock { $0.isSent }
    end(.failed(NetworkFailure(error, isSent: isSent)))
  }
}
