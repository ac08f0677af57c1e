import StratusTransport
import Synchronization

/// What lies between a device and the server.
final class DeviceNetwork: Sendable {
  private struct State {
    var isOnline = true
    var account: AccountState?
    var requests: [DeviceRequest] = []
    /// Streams that are open.
    var streams: [Int: @Sendable () -> Void] = [:]
    var lastStream = 0
  }

  let faults = FaultBook()
  let post: DevicePost
  private let state = Mutex(State())

  init(clock: TestClock) { post = DevicePost(clock: clock) }

  /// Who is signed in.
  var account: AccountState? {
    get { state.withLock(\.account) }
    set { state.withLock { $0.account = newValue } }
  }

  /// Streams break when it goes.
  var isOnline: Bool {
    get { state.withLock(\.isOnline) }
    set {
      let broken = state.withLock { state in
        state.isOnline = newValue
        defer { if !newValue { state.streams = [:] } }
        return newValue ? [] : Array(state.streams.values)
      }
      for end in broken { end() }
    }
  }

  func note(_ request: DeviceRequest) { state.withLock { $0.requests.append(request) } }

  func count(of requests: TestRequests) -> Int {
    state.withLock { $0.requests.count { $0.isOne(of: requests) } }
  }

  /// Notes a stream that is open.
  ///
  /// - Parameter end: breaks it.
  /// - Returns: its number; nil: there is no network any more.
  func open(_ end: @escaping @Sendable () -> Void) -> Int? {
    state.withLock { state in
      guard state.isOnline else { return nil }
      state.lastStream += 1
      state.streams[state.lastStream] = end
      return state.lastStream
    }
  }

  func close(_ stream: Int) { state.withLock { $0.streams[stream] = nil } }
}
