public import StratusDomain
import StratusSQL
public import StratusWire
import Synchronization

/// A store in one SQLite file.
typealias SQLiteStore = SQLStore<SQLiteFile<StoreSession>>

/// The stores of all containers, each a file in the data folder, opened on first use and kept open.
public final class SQLiteStores: StoreCatalog {
  private struct State {
    var entries: [StoreAddress: SQLiteStoreEntry] = [:]
    var isClosed = false
  }

  private let folder: DataFolder
  private let makeEpoch: @Sendable () -> Int64
  private let now: @Sendable () -> Int64
  private let waitingMax: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - folder: held as long as these stores are.
  ///   - makeEpoch: draws 64 random bits for a new store.
  ///   - now: milliseconds since 1970 UTC.
  ///   - waitingMax: see ``LimitSettings/storeWaitingMax``.
  public init(
    folder: DataFolder, makeEpoch: @escaping @Sendable () -> Int64,
    now: @escaping @Sendable () -> Int64 = { 0 }, waitingMax: Int = Limits.storeWaitingMax
  ) {
    self.waitingMax = waitingMax
    self.folder = folder
    self.makeEpoch = makeEpoch
    self.now = now
  }

  public func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    try openStore(at: address)
  }

  /// The stores in use so far, each by its address.
  public var openStoresByAddress: [StoreAddress: any Store] {
    state.withLock(\.entries).compactMapValues(\.opened)
  }

  /// The stores in use so far.
  public var openStores: [any Store] {
    state.withLock { Array($0.entries.values) }.compactMap(\.opened)
  }

  /// Whether there is a store, in use or not; none is made.
  public func hasStore(at address: StoreAddress) -> Bool {
    folder.hasStore(container: address.container, environment: address.environment)
  }

  /// Lets what has begun end, refuses the rest, and closes all files.
  public func close() async {
    let entries = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [:] }
      return Array(state.entries.values)
    }
    for entry in entries { await entry.close() }
  }

  func openStore(at address: StoreAddress) throws(ServerError) -> SQLiteStore {
    let entry = state.withLock { state -> SQLiteStoreEntry? in
      if state.isClosed { return nil }
      if let entry = state.entries[address] { return entry }
      // Entries of unsafe names would be kept for ever.
      guard DataFolder.isSafe(address.container) else { return SQLiteStoreEntry() }
      let entry = SQLiteStoreEntry()
      state.entries[address] = entry
      return entry
    }
    guard let entry else { throw SQLiteFailure.closed }
    return try entry.store { () throws(ServerError) in
      try SQLiteStore(
        engine: SQLiteFile(path: try path(of: address), waitingMax: waitingMax) {
          (connection) throws(ServerError) in
          try StoreTables.prepare(on: connection, makeEpoch: makeEpoch, now: now)
        })
    }
  }

  private func path(of address: StoreAddress) throws(ServerError) -> String {
    let path: String?
    do {
      path = try folder.storePath(
        container: address.container, environment: address.environment)
    } catch {
      throw .fault("a container's folder cannot be made", facts: ["error": "\(error)"])
    }
    guard let path else {
      throw .fault("a container's ID cannot name a folder", facts: ["id": address.container])
    }
    return path
  }
}

/// The place of one store in the catalog.
///
/// It has a lock of its own, so that a file that takes long to open holds up nobody else's.
final class SQLiteStoreEntry: Sendable {
  private enum State {
    case unopened, closed
    case open(SQLiteStore)
  }

  private let state = Mutex(State.unopened)

  func store(
    opening open: () throws(ServerError) -> SQLiteStore
  ) throws(ServerError) -> SQLiteStore {
    let result = state.withLock { state -> Result<SQLiteStore, ServerError> in
      switch state {
      case .open(let store): return .success(store)
      case .closed: return .failure(SQLiteFailure.closed)
      case .unopened:
        do throws(ServerError) {
          let store = try open()
          state = .open(store)
          return .success(store)
        } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  /// The store, if it was opened.
  var opened: SQLiteStore? {
    state.withLock { state in
      switch state {
      case .open(let store): store
      case .unopened, .closed: nil
      }
    }
  }

  func close() async {
    let store = state.withLock { state -> SQLiteStore? in
      defer { state = .closed }
      switch state {
      case .open(let store): return store
      case .unopened, .closed: return nil
      }
    }
    await store?.engine.close()
  }
}
