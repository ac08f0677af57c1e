package import StratusDomain
import Synchronization

/// The epochs of stores that were read before they existed. When such a store is created, it gets
<<<<<<< HEAD:Sources/StratusSQL/Container/PlannedEpochs.swift
/// this epoch, so that earlier change tokens stay valid.
package final class PlannedEpochs: Sendable {
  /// The maximum number of stores. Choice: each one takes about 100 bytes.
=======
/// its planned epoch, so that earlier change tokens stay valid.
final class PlannedEpochs: Sendable {
  /// The maximum number of stores. Choice: each store takes about 100 bytes.
>>>>>>> 38af134bda0c0e51b9a60f9e98e71c376ba5802d:Sources/StratusSQLite/Memory/PlannedEpochs.swift
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

<<<<<<< HEAD:Sources/StratusSQL/Container/PlannedEpochs.swift
  /// Returns the epoch for a store that is now created: the planned one, which is then forgotten,
  /// or a new one.
  package func take(at address: StoreAddress) -> Int64 {
=======
  /// Returns the epoch for a store that is being created. It is the planned epoch, which is then
  /// forgotten, or a new epoch.
  func take(at address: StoreAddress) -> Int64 {
>>>>>>> 38af134bda0c0e51b9a60f9e98e71c376ba5802d:Sources/StratusSQLite/Memory/PlannedEpochs.swift
    planned.withLock { $0.removeValue(forKey: address) } ?? makeEpoch()
  }
}
