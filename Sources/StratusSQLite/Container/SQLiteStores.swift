import Foundation
public import StratusDomain
import StratusSQL
public import StratusWire
import Synchronization

/// A store in one SQLite file.
typealias SQLiteStore = SQLStore<SQLiteFile<StoreSession>>

/// The stores of all containers. Each store is a file in the data folder. A store is opened when it
/// is first used, and closed when no request has used it for some time.
public final class SQLiteStores: StoreCatalog {
  private struct State {
    var entries: [StoreAddress: SQLiteStoreEntry] = [:]
    var isClosed = false
  }

  private let folder: DataFolder
  private let registry: (any StoreRegistry)?
  private let opening: SQLiteStoreOpening
  private let epochs: PlannedEpochs
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// - Parameters:
  ///   - folder: the data folder, which must stay locked while these stores exist.
  ///   - registry: lists the existing stores, so that a lost store is detected. If it is nil, lost
  ///     stores are not detected.
  ///   - makeEpoch: returns 64 random bits for a new store.
  ///   - now: returns the time in milliseconds since 1970 UTC.
  ///   - waitingMax: see ``LimitSettings/storeWaitingMax``.
  ///   - clock: orders the writes of several callers. If it is nil, they run in the order of their
  ///     arrival.
  public init(
    folder: DataFolder, registry: (any StoreRegistry)? = nil,
    makeEpoch: @escaping @Sendable () -> Int64,
    now: @escaping @Sendable () -> Int64 = { 0 }, waitingMax: Int = Limits.storeWaitingMax,
    clock: WriteClock? = nil
  ) {
    self.folder = folder
    self.registry = registry
    self.now = now
    epochs = PlannedEpochs(makeEpoch: makeEpoch)
    opening = SQLiteStoreOpening(
      folder: folder, registry: registry, epochs: epochs, now: now, waitingMax: waitingMax,
      clock: clock)
  }

  public func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    let store = SQLiteStoreHandle(entry: try entry(of: address), marksUse: true)
    try await store.entry.use(marksUse: true) { (_) throws(ServerError) in }
    return store
  }

  public func storeToRead(
    at address: StoreAddress
  ) async throws(ServerError) -> (store: any Store, isStandIn: Bool) {
    if hasStore(at: address) { return (try await store(at: address), false) }
    return (try MemoryStores.emptyStore(epoch: epochs.epoch(at: address), now: now()), true)
  }

  /// The open stores, by address. Calls through these handles do not keep the stores open.
  public var openStoresByAddress: [StoreAddress: any Store] {
    state.withLock(\.entries).filter { $0.value.isOpen }.mapValues {
      SQLiteStoreHandle(entry: $0, marksUse: false)
    }
  }

  /// The open stores.
  public var openStores: [any Store] { Array(openStoresByAddress.values) }

  /// Whether a store exists, open or closed. This method creates no store.
  public func hasStore(at address: StoreAddress) -> Bool {
    folder.hasStore(container: address.container, environment: address.environment)
  }

  /// Returns the number of bytes of a store's file and its log.
  public func sizeBytes(ofStore address: StoreAddress) -> Int64 {
    let path = DataFolder.file(of: address, in: folder.url).path
    var sizeBytes: Int64 = 0
    for suffix in ["", "-wal"] {
      var status = stat()
      if stat(path + suffix, &status) == 0 { sizeBytes += Int64(status.st_size) }
    }
    return sizeBytes
  }

  /// Returns the open stores that no request has used since the given time, in milliseconds since
  /// 1970 UTC.
  public func idleStores(unusedSince time: Int64) -> [StoreAddress: any Store] {
    state.withLock(\.entries).filter { $0.value.isIdle(unusedSince: time) }.mapValues {
      SQLiteStoreHandle(entry: $0, marksUse: false)
    }
  }

  /// Closes a store, unless it is in use or was used after the given time. The next request opens
  /// it again.
  public func closeStore(at address: StoreAddress, unlessUsedSince time: Int64) async {
    await state.withLock { $0.entries[address] }?.close(unlessUsedSince: time)
  }

  /// Frees the memory that open stores have not used since the last call.
  ///
  /// - Returns: whether readers were closed.
  public func releaseMemory() -> Bool {
    state.withLock(\.entries).values.reduce(false) { $1.releaseMemory() || $0 }
  }

  /// Closes a container's stores and removes their files.
  ///
  /// - Throws: `INTERNAL_ERROR` if the files cannot be removed. In this case, no file was removed.
  public func deleteStores(of container: String) async throws(ServerError) {
    let entries = state.withLock { state in
      let addresses = state.entries.keys.filter { $0.container == container }
      return addresses.compactMap { state.entries.removeValue(forKey: $0) }
    }
    for entry in entries { await entry.end() }
    do { try folder.removeContainer(container) } catch {
      throw .fault("a container's folder cannot be removed", facts: ["error": "\(error)"])
    }
  }

  /// Finishes the waiting bodies, refuses new bodies, and closes all files.
  public func close() async {
    let entries = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [:] }
      return Array(state.entries.values)
    }
    for entry in entries { await entry.end() }
  }

  /// Returns the store itself and not a handle. The store may be closed at any time.
  func openStore(at address: StoreAddress) async throws(ServerError) -> SQLiteStore {
    try await entry(of: address).use(marksUse: true) { (store) throws(ServerError) in store }
  }

  private func entry(of address: StoreAddress) throws(ServerError) -> SQLiteStoreEntry {
    // An entry with an invalid name would never be removed.
    guard DataFolder.isSafe(address.container) else {
      throw .fault("a container's ID cannot name a folder", facts: ["id": address.container])
    }
    let entry = state.withLock { state -> SQLiteStoreEntry? in
      if state.isClosed { return nil }
      if let entry = state.entries[address] { return entry }
      let entry = SQLiteStoreEntry(address: address, opening: opening, now: now)
      state.entries[address] = entry
      return entry
    }
    guard let entry else { throw SQLiteFailure.closed }
    return entry
  }
}

extension SQLiteStores {
  /// Adds to the registry the stores that an earlier run created but did not register, and finishes
  /// interrupted removals. This method must be called before the first request.
  ///
  /// - Throws: any error of the registry.
  public func takeStock() async throws(ServerError) {
    folder.removeLeftovers()
    guard let registry, let found = try? DataFolder.stores(in: folder.url) else { return }
    let known = try await registry.storeEpochs()
    for address in found where known[address] == nil {
      // The file has no tables if the process crashed before it had created them.
      guard let epoch = opening.epoch(ofFileAt: address) else { continue }
      try await registry.keep(epoch: epoch, ofStore: address)
    }
  }

  /// The current problems of the stores' files. If the registry cannot be read, the result is one
  /// problem of the kind `damaged` without a store.
  public func problems() async -> [HealthProblem] {
    var problems: [StoreAddress: HealthProblem.Kind] = [:]
    do throws(ServerError) {
      let known = try await registry?.storeEpochs() ?? [:]
      for address in known.keys { problems[address] = fileProblem(at: address) }
    } catch { return [HealthProblem(.damaged)] }
    for (address, entry) in state.withLock(\.entries) {
      if let kind = entry.problem { problems[address] = kind }
    }
    return problems.map { HealthProblem($0.value, store: $0.key) }.sorted {
      ($0.store?.container ?? "", $0.kind.rawValue) < ($1.store?.container ?? "", $1.kind.rawValue)
    }
  }

  private func fileProblem(at address: StoreAddress) -> HealthProblem.Kind? {
    let path = DataFolder.file(of: address, in: folder.url).path
    if !OwnedFile.holdsBytes(path) { return .lost }
    return OwnedFile.looksLikeSQLite(path) ? nil : .damaged
  }
}
