import StratusWire
import Synchronization

/// Counts the requests that production refused because its schema lacked something. If an app's
/// schema was not deployed, the app fails without any other sign.
///
/// Counts are kept in memory and written to the production stores from time to time. A crash loses
/// the counts of the last seconds.
public final class ProductionRadar: Sendable {
  private struct Key: Hashable {
    let address: StoreAddress
    let lack: ProductionLack
    let app: String
  }

  private let stores: any StoreCatalog
  private let ambient: Ambient
  private let pending = Mutex<[Key: LackCount]>([:])

  public init(stores: any StoreCatalog, ambient: Ambient) {
    self.stores = stores
    self.ambient = ambient
  }

  /// Counts one request that was refused because the schema lacked some parts.
  ///
  /// - Parameter app: the app and its version as the request named them, or an empty text if it
  ///   named none.
  public func note(_ lacks: Set<ProductionLack>, at address: StoreAddress, app: String) {
    if lacks.isEmpty { return }
    let now = ambient.now()
    pending.withLock { pending in
      for lack in lacks {
        let key = Key(address: address, lack: lack, app: app)
        if pending[key] == nil, pending.count >= Limits.lacksPendingMax { continue }
        pending[key, default: LackCount(lack: lack, app: app, count: 0, firstAt: now, lastAt: now)]
          .count += 1
        pending[key]?.lastAt = now
      }
    }
  }

  /// Writes the counts to the stores. If a store cannot be written, its counts stay in memory.
  ///
  /// - Throws: the first error of a store, after all stores were tried.
  public func flush() async throws(ServerError) {
    let taken = pending.withLock { pending in
      defer { pending = [:] }
      return pending
    }
    var failure: ServerError?
    for (address, counts) in Dictionary(grouping: taken, by: { $0.key.address }) {
      let counts = counts.map { $0.value }
      do throws(ServerError) {
        try await stores.store(at: address).write { (store) throws(ServerError) in
          try store.add(counts)
        }
      } catch {
        failure = failure ?? error
        giveBack(counts, at: address)
      }
    }
    if let failure { throw failure }
  }

  private func giveBack(_ counts: [LackCount], at address: StoreAddress) {
    pending.withLock { pending in
      for count in counts {
        let key = Key(address: address, lack: count.lack, app: count.app)
        guard var later = pending[key] else {
          if pending.count < Limits.lacksPendingMax { pending[key] = count }
          continue
        }
        later.count += count.count
        later.firstAt = count.firstAt
        pending[key] = later
      }
    }
  }

  /// Returns the counts of a container's production environment, the most frequent first. If the
  /// schema now contains a part that it lacked, the counts of this part are removed.
  ///
  /// - Throws: the errors of the store.
  public func counts(of container: String) async throws(ServerError) -> [LackCount] {
    try? await flush()
    let address = StoreAddress(container: container, environment: .production)
    let store = try await stores.store(at: address)
    let (counts, hasResolved) = try await store.read { (store) throws(ServerError) in
      let (all, schema) = (try store.lackCounts(), try store.schema())
      let open = all.filter { !$0.lack.isResolved(by: schema) }
      return (open, open.count < all.count)
    }
    if hasResolved {
      try await store.write { (store) throws(ServerError) in
        let schema = try store.schema()
        try store.remove(
          Set(try store.lackCounts().map(\.lack).filter { $0.isResolved(by: schema) }))
      }
    }
    return counts
  }
}
