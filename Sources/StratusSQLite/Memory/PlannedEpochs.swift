import StratusDomain
import Synchronization

/// The epochs of stores that were read before they were created. A store that is created later gets
/// its epoch from here, so that change tokens from before its creation stay valid.
final class PlannedEpochs: Sendable {
  /// The maximum number of addresses. Choice: each takes about 100 bytes.
  private static let countMax = 10_000

  private let makeEpoch: @Sendable () -> Int64
  private let planned = Mutex<[StoreAddress: Int64]>([:])

  init(makeEpoch: @escaping @Sendable () -> Int64) { self.makeEpoch = makeEpoch }

  /// The epoch that the empty stand-in for a missing store uses.
  func epoch(at address: StoreAddress) -> Int64 {
    if let known = planned.withLock({ $0[address] }) { return known }
    let epoch = makeEpoch()
    return planned.withLock { planned in
      if let known = planned[address] { return known }
      if planned.count >= Self.countMax { planned.removeAll() }
      planned[address] = epoch
      return epoch
    }
  }

  /// Removes and returns the epoch of a new store.
  func take(at address: StoreAddress) -> Int64 {
    planned.withLock { $0.removeValue(forKey: address) } ?? makeEpoch()
  }
}
