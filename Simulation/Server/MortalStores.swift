import StratusDomain
import StratusSQLite
import StratusTesting
import StratusWire

/// The stores as one process of the server sees them. Other tasks run at each of its awaits. A
/// crashed process reaches no store any more.
struct MortalStores: StoreCatalog {
  let disk: MemoryStores
  let life: Life
  let mishaps: Mishaps

  func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    MortalStore(store: try await disk.store(at: address), life: life, mishaps: mishaps)
  }

  /// The stores in use so far, each by its address, in the order of their names.
  var openStores: [(address: StoreAddress, store: any Store)] {
    disk.openStoresByAddress.sorted { $0.key.container < $1.key.container }.map {
      ($0.key, MortalStore(store: $0.value, life: life, mishaps: mishaps))
    }
  }
}

/// One of the stores.
struct MortalStore: Store {
  let store: any Store
  let life: Life
  let mishaps: Mishaps

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await comeBy()
    return try await store.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await comeBy()
    if mishaps.happens(\.repeatedBody) { await rehearse(body) }
    let value = try await store.write(body)
    // NB: the write is on disk; a crash here falls between the commit and the answer.
    try await comeBy()
    return value
  }

  /// Runs a write body. It may run twice: the first time, its transaction is rolled back.
  private func rehearse<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async {
    do throws(ServerError) {
      try await store.write { (writing) throws(ServerError) in
        _ = try body(writing)
        throw ServerError(.tryAgainLater, Reason.storeBusy)
      }
    } catch {
      // The body throws the same error again in its second run.
      return
    }
  }

  private func comeBy() async throws(ServerError) {
    // NB: without this pause, only jobs of the same instant could run in between.
    if mishaps.happens(\.slowStore) {
      try? await Loop.shared.sleep(mishaps.storeSeconds())
    } else {
      await Loop.shared.pause()
    }
    if !life.goesOn() { throw .fault("this process has crashed") }
  }
}
