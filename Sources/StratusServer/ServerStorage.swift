public import Foundation
import StratusAccounts
import StratusAssets
public import StratusDomain
import StratusSQL
import StratusSQLite
public import StratusWire

/// The storage engine that a ``Composition`` uses.
public struct ServerStorage: Sendable {
  let stores: any OpenStoreCatalog
  let registry: any Registry
  let signingKeys: any SigningKeyStore
  /// The journal of removals, or nil for a storage in memory.
  var removals: RemovalFile?
  var assets: any AssetStore
  /// The ownership of the files, or nil if no other installation can use the same ones.
  var assetOwner: AssetOwner?
  /// Makes every change token expire, or nil if this engine cannot do so.
  let renewEpochs: (@Sendable () throws(ServerError) -> Void)?
  /// Migrates the data of an earlier version. It must be called before anything else.
  let prepare: @Sendable () async throws -> Void
  /// The problems of the stored files.
  let problems: @Sendable () async -> [HealthProblem]
  /// The checks of `/health/ready`.
  var readinessChecks: [any ReadinessCheck]
  /// Frees the memory that was not used since the last call. Returns whether database connections
  /// for reading were closed.
  let releaseMemory: @Sendable () -> Bool
  /// Finishes the current work, and refuses new work.
  var close: @Sendable () async -> Void
  /// Prevents several processes with the same stores from doing the same work.
  let locks: any WorkLocks
  /// Returns the signals about one kind of work, between all processes with the same stores. It is
  /// called once for each kind.
  let signals: @Sendable (SignalKind) -> any Signals
  /// The signals to other processes that a store has new notifications. A process does not receive
  /// its own signals.
  let newsOfOthers: any Signals
  /// The nodes that use the same stores.
  let nodes: StorageNodes
  /// The turns of the nodes to make backups, or nil if only one process uses the stores.
  var backupTurns: (any BackupTurns)?
  /// Waits until this process cannot use the stores any more, and returns the reason for the
  /// operator. Returns nil if the task is cancelled or the storage is closed. The property is nil
  /// if no other process can change the stores.
  let waitForEnd: (@Sendable () async -> String?)?

  /// Creates a storage that consists of a folder with SQLite files.
  ///
  /// - Parameter limits: the number of requests that may wait for a store.
  /// - Throws: an error whose text says why the folder cannot be used.
  public init(folder url: URL, live: Live, limits: LimitSettings = .unpaced) throws {
    let folder = try DataFolder(url)
    try folder.requireRegistry()
    try Self.requireNoOwner(in: folder.url)
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
      now: live.ambient.now, waitingMax: limits.storeWaitingMax, clock: .live)
    let keys = try KeyFile(data: folder.url)
    self.stores = stores
    self.registry = registry
    locks = LocalWorkLocks()
    signals = { _ in LocalSignals() }
    newsOfOthers = NoSignals()
    nodes = .single(live: live)
    waitForEnd = nil
    signingKeys = keys
    removals = RemovalFile(data: folder.url)
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

  /// Creates a storage in memory, for tests. Its data is lost when the process ends.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public init(inMemory live: Live) throws(ServerError) {
    let stores = MemoryStores(makeEpoch: { live.makeEpoch() }, now: live.ambient.now)
    let registry = try MemoryRegistry()
    self.stores = stores
    self.registry = registry
    locks = LocalWorkLocks()
    signals = { _ in LocalSignals() }
    newsOfOthers = NoSignals()
    nodes = .single(live: live)
    waitForEnd = nil
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

/// The kinds of work that processes signal to each other.
enum SignalKind: String {
  case cascades, changes, queues
}

/// Signals to other processes, for a storage that only one process uses. No process receives them.
private struct NoSignals: Signals {
  let received = AsyncStream<StoreSignal> { $0.finish() }

  func send(_ signal: StoreSignal) {}
}

/// The reason why the registry file cannot be used, as a sentence for the operator.
struct StorageFailure: Error, CustomStringConvertible {
  let description: String

  init(_ error: ServerError, file: URL) {
    let what = error.facts["fault"] ?? error.reason
    let detail = error.facts["sqlite"].map { " (SQLite \($0))" } ?? ""
    let advice = error.hint ?? "restore it from a backup with 'stratus restore'"
    description = "The server's own file \(file.path) cannot be used: \(what)\(detail); \(advice)."
  }
}

/// A store catalog that can list its open stores, for background work.
protocol OpenStoreCatalog: StoreCatalog {
  /// The open stores, by address.
  var openStoresByAddress: [StoreAddress: any Store] { get }
  /// Whether a store exists, open or closed. This method creates no store.
  func hasStore(at address: StoreAddress) -> Bool
  /// Returns the open stores that no request has used since the given time, in milliseconds since
  /// 1970 UTC.
  func idleStores(unusedSince time: Int64) -> [StoreAddress: any Store]
  /// Closes a store, unless it is in use or was used after the given time. The next request opens
  /// it again.
  func closeStore(at address: StoreAddress, unlessUsedSince time: Int64) async
  /// Returns the size of a store in bytes, without its assets, or 0 if the size is not known.
  func sizeBytes(ofStore address: StoreAddress) async -> Int64
  /// Removes a container's stores with all their data.
  func deleteStores(of container: String) async throws(ServerError)
}

extension OpenStoreCatalog {
  /// The open stores.
  var openStores: [any Store] { Array(openStoresByAddress.values) }
}

extension SQLiteStores: OpenStoreCatalog {}

extension MemoryStores: OpenStoreCatalog {
  /// Returns no stores, because closing a store in memory would lose its data.
  func idleStores(unusedSince time: Int64) -> [StoreAddress: any Store] { [:] }
  func closeStore(at address: StoreAddress, unlessUsedSince time: Int64) async {}
  func sizeBytes(ofStore address: StoreAddress) -> Int64 { 0 }
  func deleteStores(of container: String) async throws(ServerError) { removeStores(of: container) }
}
