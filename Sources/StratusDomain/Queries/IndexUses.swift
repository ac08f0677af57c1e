import Synchronization

/// Remembers which indexes queries have read lately, so that unused indexes can be dropped.
public final class IndexUses: Sendable {
  private let indexes = Mutex<[StoreAddress: Set<Int64>]>([:])
  /// The number of times that queries have read each index since the process was started.
  private let totals = Mutex<[StoreAddress: [Int64: Int64]]>([:])

  /// The queries for which an index may be missing.
  let costly = CostlyQueries()

  public init() {}

  func note(_ index: Int64, at address: StoreAddress) {
    if index == QueryPlan.noIndex { return }
    indexes.withLock { _ = $0[address, default: []].insert(index) }
    totals.withLock { $0[address, default: [:]][index, default: 0] += 1 }
  }

  /// Returns the number of times that queries have read each index since the process was started.
  func counts(at address: StoreAddress) -> [Int64: Int64] {
    totals.withLock { $0[address] ?? [:] }
  }

  /// Returns the indexes of a store that were read since the last call.
  func take(at address: StoreAddress) -> Set<Int64> {
    indexes.withLock { $0.removeValue(forKey: address) ?? [] }
  }
}
