/// Tells whoever carries work on in which store there is some to do.
///
/// Only a nudge: the work itself is in the store, and who looks there now and then misses nothing.
public struct StoreNudges: Sendable {
  /// A store, and where it is.
  public struct Nudged: Sendable {
    public let store: any Store
    public let address: StoreAddress
    /// The device that it is about; nil: it is about all of the store.
    public let device: StoredDevice?
  }

  /// Stores to look into; for one listener.
  public let stores: AsyncStream<Nudged>
  private let continuation: AsyncStream<Nudged>.Continuation

  public init() {
    (stores, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.max))
  }

  public func nudge(
    _ store: any Store, at address: StoreAddress, about device: StoredDevice? = nil
  ) {
    continuation.yield(Nudged(store: store, address: address, device: device))
  }

  /// More than this need not wait here.
  private static let max = 256
}
