import Synchronization

/// Remembers which indexes queries have read lately, so that unused indexes can be dropped.
public final class IndexUses: Sendable {
  private let indexes = Mutex<[StoreAddress: Set<Int64>]>([:])

  public init() {}

  func note(_ index: Int64, at address: StoreAddress) {
    if index == QueryPlan.noIndex { return }
    indexes.withLock { _ = $0[address, default: []].insert(index) }
  }

  /// The indexes of a store that were read since the last call.
  func take(at address: StoreAddress) -> Set<Int64> {
    indexes.withLock { $0.removeValue(forKey: address) ?? [] }
  }
}
