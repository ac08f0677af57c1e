/// Tells whoever carries on cascades in which store there is something to do.
///
/// Only a nudge: the work itself is in the store, and who looks there now and then misses nothing.
public struct CascadeNudges: Sendable {
  /// Stores to look into; for one listener.
  public let stores: AsyncStream<any Store>
  private let continuation: AsyncStream<any Store>.Continuation

  public init() {
    (stores, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.max))
  }

  public func nudge(_ store: any Store) { continuation.yield(store) }

  /// More than this need not wait here.
  private static let max = 256
}
