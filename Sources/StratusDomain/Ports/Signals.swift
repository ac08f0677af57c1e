/// Tells those that carry work on, in every process that serves a store, where there is some to do.
///
/// A signal may be lost: the work itself is in the store, and whoever looks there now and then
/// misses nothing.
public protocol Signals: Sendable {
  /// Signals that were sent, here or in another process; for one listener.
  var received: AsyncStream<StoreSignal> { get }

  func send(_ signal: StoreSignal)
}

/// There is something to do in a store.
public struct StoreSignal: Sendable, Hashable {
  public var address: StoreAddress
  /// The device that it is about; nil: it is about all of the store.
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

  /// More than this need not wait here.
  private static let waitingMax = 256
}
