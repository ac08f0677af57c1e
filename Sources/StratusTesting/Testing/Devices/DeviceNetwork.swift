import StratusTransport
import Synchronization

/// The network between a device and the server.
final class DeviceNetwork: Sendable {
  private struct State {
    var isOnline = true
    var account: AccountState?
    var requests: [DeviceRequest] = []
    /// The open streams by their numbers. Each closure breaks its stream.
    var streams: [Int: @Sendable () -> Void] = [:]
    var lastStream = 0
  }

  let faults = FaultBook()
  let post: DevicePost
  private let state = Mutex(State())

  init(clock: TestClock) { post = DevicePost(clock: clock) }

  /// The account that is signed in. nil means that no account is signed in.
  var account: AccountState? {
    get { state.withLock(\.account) }
    set { state.withLock { $0.account = newValue } }
  }

  /// Whether the device has a network. Losing the network breaks open streams.
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

  /// Adds an open stream.
  ///
  /// - Parameter end: breaks the stream.
  /// - Returns: the stream's number, or nil if the device has no network.
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
