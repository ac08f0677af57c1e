import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusPush
import StratusServer
import StratusTransport
import Synchronization

/// The device's stream of notifications.
extension DeviceExchange: EventExchange {
  func open(_ sent: StratusTransport.HTTPRequest) async throws(NetworkFailure) -> EventAnswer {
    let request = DeviceRequest(sent)
    network.note(request)
    guard network.isOnline else { throw .notConnected }
    if let (_, fault) = network.faults.take(for: request) ?? core.faults.take(for: request) {
      switch fault {
      case .error(let code, let seconds):
        return Self.refused(Refusal(code, retryAfterSeconds: seconds).response)
      case .disturbance(.losesRequest): throw .lostBeforeSending
      case .disturbance(.losesResponse): throw .lostAfterSending
      case .disturbance(.answers(let status, let seconds)):
        return Self.refused(
          HTTPResponse(
            status: status, headers: seconds.map { ["retry-after": String($0)] } ?? [:], body: []))
      case .disturbance(.isLate(let duration)):
        do { try await core.clock.pause(duration) } catch { throw .cancelled }
      }
    }
    if let refusal { return Self.refused(refusal.response) }
    return try await core.answering { () throws(NetworkFailure) in try await self.listen(sent) }
  }

  private static func refused(_ response: StratusTransport.HTTPResponse) -> EventAnswer {
    EventAnswer(
      status: response.status, headers: response.headers, body: DeviceStream(whole: response.body))
  }

  private func listen(
    _ sent: StratusTransport.HTTPRequest
  ) async throws(NetworkFailure) -> EventAnswer {
    var head = RouterExchange.head(of: sent)
    if let name = HTTPField.Name("Last-Event-ID"), let text = head.headerFields[name] {
      head.headerFields[name] = Int64(text).map { String(DevicePost.serverNumber($0)) }
    }
    switch await core.composition.router.listen(head) {
    case .refusal(let head, let body):
      return EventAnswer(
        status: head.status.code, headers: RouterExchange.headers(of: head),
        body: DeviceStream(whole: body))
    case .poll(let head, _, _):
      return EventAnswer(status: head.status.code, body: DeviceStream(whole: []))
    case .stream(let head, let device, let slot):
      let stream = DeviceStream()
      guard let number = network.open({ stream.end(.failure(.lostAfterSending)) }) else {
        throw .notConnected
      }
      stream.follow(
        core.composition.hub.listen(as: device, on: slot) { $0 }, of: device.store,
        by: network.post
      ) { [network] in network.close(number) }
      await core.handOut()
      return EventAnswer(
        status: head.status.code, headers: RouterExchange.headers(of: head), body: stream)
    }
  }
}

/// The body of an answer that arrives in pieces.
final class DeviceStream: EventBody {
  private struct State {
    var arrived: [[UInt8]] = []
    var end: Result<Void, NetworkFailure>?
    var reader: CheckedContinuation<Void, Never>?
    var follower: Task<Void, Never>?
    var onClose: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  init() {}

  /// Creates a body that has already arrived completely.
  init(whole: [UInt8]) {
    state.withLock { state in
      if !whole.isEmpty { state.arrived = [whole] }
      state.end = .success(())
    }
  }

  func follow(
    _ notifications: AsyncStream<QueuedNotification>, of store: StoreAddress, by post: DevicePost,
    onClose: @escaping @Sendable () -> Void
  ) {
    let follower = Task { [weak self] in
      for await notification in notifications {
        post.carry(notification, from: store) { [weak self] in self?.take($0) }
      }
      self?.end(.success(()))
    }
    state.withLock { ($0.follower, $0.onClose) = (follower, onClose) }
  }

  private func take(_ bytes: [UInt8]) {
    wake { if $0.end == nil { $0.arrived.append(bytes) } }
  }

  /// Ends the body. The reader still receives the bytes that have arrived.
  func end(_ end: Result<Void, NetworkFailure>) {
    wake { $0.end = $0.end ?? end }
  }

  private func wake(_ change: (inout State) -> Void) {
    let reader = state.withLock { state in
      change(&state)
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  func next() async throws(NetworkFailure) -> [UInt8]? {
    while true {
      if Task.isCancelled { throw .cancelled }
      let (bytes, end) = state.withLock { state in
        (state.arrived.isEmpty ? nil : state.arrived.removeFirst(), state.end)
      }
      if let bytes { return bytes }
      if let end {
        try end.get()
        return nil
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let hasNews = state.withLock { state in
            if !state.arrived.isEmpty || state.end != nil || Task.isCancelled { return true }
            state.reader = continuation
            return false
          }
          if hasNews { continuation.resume() }
        }
      } onCancel: {
        wake { _ in }
      }
    }
  }

  func close() {
    let (follower, onClose) = state.withLock { state in
      state.end = state.end ?? .success(())
      defer { (state.follower, state.onClose) = (nil, nil) }
      return (state.follower, state.onClose)
    }
    follower?.cancel()
    onClose?()
  }
}
