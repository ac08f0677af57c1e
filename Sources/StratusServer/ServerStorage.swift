public import Foundation
import StratusAssets
public import StratusDomain
import StratusSQL
import StratusSQLite
public import StratusWire

/// Where a server keeps everything: the engine under ``Composition``.
public struct ServerStorage: Sendable {
  let stores: any OpenStoreCatalog
  let registry: any Registry
  let assets: any AssetStore
  /// Makes every change token stale; nil: this engine cannot.
  let renewEpochs: (@Sendable () throws(ServerError) -> Void)?
  /// The checks behind `/health/ready`.
  let readinessChecks: [any ReadinessCheck]
  /// Lets what has begun end, and refuses the rest.
  let close: @Sendable () async -> Void

  /// A folder of SQLite files.
  ///
  /// - Parameter limits: how many requests may wait for a store.
  /// - Throws: if the folder cannot be used, with a sentence that says why.
  public init(folder url: URL, live: Live, limits: LimitSettings = .unpaced) throws {
    let folder = try DataFolder(url)
    let stores = SQLiteStores(
      folder: folder, makeEpoch: { live.makeEpoch() }, now: live.ambient.now,
      waitingMax: limits.storeWaitingMax)
    let registry = try SQLiteRegistry(folder: folder)
    self.stores = stores
    self.registry = registry
    assets = FolderAssetStore(data: folder.url, now: live.ambient.now)
    renewEpochs = nil
    readinessChecks = [DiskReadiness(folder: folder.url)]
    close = {
      await stores.close()
      await registry.close()
      folder.unlock()
    }
  }

  /// The process's memory, for tests: nothing survives it.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public init(inMemory live: Live) throws(ServerError) {
    let stores = MemoryStores(makeEpoch: { live.makeEpoch() }, now: live.ambient.now)
    let registry = try MemoryRegistry()
    self.stores = stores
    self.registry = registry
    assets = MemoryAssetStore(now: live.ambient.now)
    renewEpochs = { () throws(ServerError) in try stores.restore(try stores.backup()) }
    readinessChecks = []
    close = {
      stores.close()
      registry.close()
    }
  }
}

/// Stores that can be gone through, for what goes on behind the requests.
protocol OpenStoreCatalog: StoreCatalog {
  /// The stores in use so far, each by its address.
  var openStoresByAddress: [StoreAddress: any Store] { get }
  /// Whether there is a store, in use or not; none is made.
  func hasStore(at address: StoreAddress) -> Bool
}

extension OpenStoreCatalog {
  /// The stores in use so far.
  var openStores: [any Store] { Array(openStoresByAddress.values) }
}

extension SQLiteStores: OpenStoreCatalog {}
extension MemoryStores: OpenStoreCatalog {}
