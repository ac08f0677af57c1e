import StratusDomain
import StratusSQLite
import StratusTesting
import StratusWire

/// The stores as one process of the server sees them: others run at each of its awaits, and once
/// it is dead it reaches nothing any more.
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

/// One of them.
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
    // NB: the write is on disk; a crash here is one between commit and answer.
    try await comeBy()
    return value
  }

  /// A body may run twice: the first time its transaction is undone.
  private func rehearse<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async {
    do throws(ServerError) {
      try await store.write { (writing) throws(ServerError) in
        _ = try body(writing)
        throw ServerError(.tryAgainLater, Reason.storeBusy)
      }
    } catch {
      // Whatever it says, it says again when it runs for good.
      return
    }
  }

  private func comeBy() async throws(ServerError) {
    // NB: what takes no time nothing can come between but what happens at the same instant.
    if mishaps.happens(\.slowStore) {
      try? await Loop.shared.sleep(mishaps.storeSeconds())
    } else {
      await Loop.shared.pause()
    }
    if !life.goesOn() { throw .fault("this process has crashed") }
  }
}
