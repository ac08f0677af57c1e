public import Foundation
import StratusAccounts
import StratusAssets
public import StratusDomain
import StratusSQL
import StratusSQLite
public import StratusWire

/// The storage engine under ``Composition``.
public struct ServerStorage: Sendable {
  let stores: any OpenStoreCatalog
  let registry: any Registry
  let signingKeys: any SigningKeyStore
  let assets: any AssetStore
  /// Expires every change token; nil: this engine cannot do so.
  let renewEpochs: (@Sendable () throws(ServerError) -> Void)?
  /// Migrates the data of an earlier version; must be called first.
  let prepare: @Sendable () async throws -> Void
  /// The problems of the stored files.
  let problems: @Sendable () async -> [HealthProblem]
  /// The checks of `/health/ready`.
  let readinessChecks: [any ReadinessCheck]
  /// Frees the memory that was not used since the last call; returns whether there was any.
  let releaseMemory: @Sendable () -> Bool
  /// Lets current work finish, and refuses new work.
  let close: @Sendable () async -> Void

  /// A folder of SQLite files.
  ///
  /// - Parameter limits: how many requests may wait for a store.
  /// - Throws: if the folder cannot be used, with a sentence that says why.
  public init(folder url: URL, live: Live, limits: LimitSettings = .unpaced) throws {
    let folder = try DataFolder(url)
    try folder.requireRegistry()
    let registry: SQLiteRegistry
    do throws(ServerError) {
      registry = try SQLiteRegistry(
        folder: folder,
        upgrade: RegistryTables.Upgrade(
          digest: Digest.sha256, now: live.ambient.now(),
          sessionMilliseconds: Accounts.sessionMilliseconds))
    } catch {
      throw StorageFailure(error, file: DataFolder.registry(in: folder.url))
    }
    let stores = SQLiteStores(
      folder: folder, registry: registry, makeEpoch: { live.makeEpoch() },
      now: live.ambient.now, waitingMax: limits.storeWaitingMax)
    let keys = try KeyFile(data: folder.url)
    self.stores = stores
    self.registry = registry
    signingKeys = keys
    assets = FolderAssetStore(data: folder.url, now: live.ambient.now)
    readinessChecks = [
      DiskReadiness(folder: folder.url), StoreReadiness(stores: stores, registry: registry),
    ]
    renewEpochs = nil
    problems = { await StoreReadiness(stores: stores, registry: registry).problems() }
    prepare = {
      let earlier = try await registry.earlierSecrets()
      if !earlier.isEmpty {
        try keys.adopt(earlier)
        try await registry.forgetEarlierSecrets()
      }
      try await stores.takeStock()
    }
    releaseMemory = {
      let registryHasReleased = registry.releaseMemory()
      return stores.releaseMemory() || registryHasReleased
    }
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
    signingKeys = KeyFile()
    assets = MemoryAssetStore(now: live.ambient.now)
    renewEpochs = { () throws(ServerError) in try stores.restore(try stores.backup()) }
    problems = { [] }
    prepare = {}
    readinessChecks = []
    releaseMemory = { false }
    close = {
      stores.close()
      registry.close()
    }
  }
}

/// Why a data folder's own file cannot be used: one sentence for the operator.
struct StorageFailure: Error, CustomStringConvertible {
  let description: String

  init(_ error: ServerError, file: URL) {
    let what = error.facts["fault"] ?? error.reason
    let detail = error.facts["sqlite"].map { " (SQLite \($0))" } ?? ""
    let advice = error.hint ?? "bring it back from a backup with 'stratus restore'"
    description = "The server's own file \(file.path) cannot be used: \(what)\(detail); \(advice)."
  }
}

/// Stores that can be gone through, for what goes on behind the requests.
protocol OpenStoreCatalog: StoreCatalog {
  /// The stores in use so far, each by its address.
  var openStoresByAddress: [StoreAddress: any Store] { get }
  /// Whether there is a store, in use or not; none is made.
  func hasStore(at address: StoreAddress) -> Bool
  /// The open stores that no request has used since a time, in milliseconds since 1970 UTC.
  func idleStores(unusedSince time: Int64) -> [StoreAddress: any Store]
  /// Closes a store unless it is in use, or was since a time; the next request opens it again.
  func closeStore(at address: StoreAddress, unlessUsedSince time: Int64) async
  /// Removes a container's stores with all their data.
  func deleteStores(of container: String) async throws(ServerError)
}

extension OpenStoreCatalog {
  /// The stores in use so far.
  var openStores: [any Store] { Array(openStoresByAddress.values) }
}

extension SQLiteStores: OpenStoreCatalog {}

extension MemoryStores: OpenStoreCatalog {
  /// None: memory is all that a closed store would free, and all that it is.
  func idleStores(unusedSince time: Int64) -> [StoreAddress: any Store] { [:] }
  func closeStore(at address: StoreAddress, unlessUsedSince time: Int64) async {}
  func deleteStores(of container: String) async throws(ServerError) { removeStores(of: container) }
}
