/// Tells the workers of a store, in all processes, that the store has background work.
///
/// A signal may be lost. The work itself is in the store, so a worker that also polls the store
/// misses nothing.
public protocol Signals: Sendable {
  /// The signals that this process and other processes send, as a sequence for one listener.
  var received: AsyncStream<StoreSignal> { get }

  func send(_ signal: StoreSignal)
}

/// A signal that a store has work to do.
public struct StoreSignal: Sendable, Hashable {
  public var address: StoreAddress
  /// The device that the signal is about, or nil if the signal is about the whole store.
  public var device: StoredDevice?

  public init(_ address: StoreAddress, about device: StoredDevice? = nil) {
    self.address = address
    self.device = device
  }
}

/// Signals inside one process.
public struct LocalSignals: Signals {
  public let received: AsyncStream<StoreSignal>
  private let continuation: AsyncStream<StoreSignal>.Continuation

  public init() {
    (received, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(Self.waitingMax))
  }

  public func send(_ signal: StoreSignal) { continuation.yield(signal) }

  /// The maximum number of queued signals. If there are more, the oldest are dropped.
  private static let waitingMax = 256
}
