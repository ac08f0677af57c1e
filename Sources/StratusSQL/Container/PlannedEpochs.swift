package import StratusDomain
import Synchronization

/// The epochs of stores that were read before they existed. When such a store is created, it gets
/// its planned epoch, so that earlier change tokens stay valid.
package final class PlannedEpochs: Sendable {
  /// The maximum number of stores. With one more, all planned epochs are forgotten. Choice: each
  /// store takes about 100 bytes, so all take at most 1 MB.
  private static let countMax = 10_000

  private let makeEpoch: @Sendable () -> Int64
  private let planned = Mutex<[StoreAddress: Int64]>([:])

  package init(makeEpoch: @escaping @Sendable () -> Int64) { self.makeEpoch = makeEpoch }

  /// Returns the epoch that the server uses for a store that does not exist yet.
  package func epoch(at address: StoreAddress) -> Int64 {
    if let known = planned.withLock({ $0[address] }) { return known }
    let epoch = makeEpoch()
    return planned.withLock { planned in
      if let known = planned[address] { return known }
      if planned.count >= Self.countMax { planned.removeAll() }
      planned[address] = epoch
      return epoch
    }
  }

  /// Returns the epoch for a store that is being created. It is the planned epoch, which is then
  /// forgotten, or a new epoch.
  package func take(at address: StoreAddress) -> Int64 {
    planned.withLock { $0.removeValue(forKey: address) } ?? makeEpoch()
  }
}
