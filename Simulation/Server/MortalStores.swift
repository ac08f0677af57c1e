import StratusDomain
import StratusSQLite
import StratusTesting
import StratusWire

/// The stores as one server process uses them. Other tasks run at each `await` of the process. A
/// crashed process can no longer use the stores.
struct MortalStores: StoreCatalog {
  let disk: MemoryStores
  let life: Life
  let mishaps: Mishaps
  /// See ``Cloud/truth``.
  let truth: SharingTruth?

  func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    MortalStore(
      store: try await disk.store(at: address), life: life, mishaps: mishaps, truth: truth)
  }

  /// The stores that were used so far, each with its address, sorted by the container's name.
  var openStores: [(address: StoreAddress, store: any Store)] {
    disk.openStoresByAddress.sorted { $0.key.container < $1.key.container }.map {
      ($0.key, MortalStore(store: $0.value, life: life, mishaps: mishaps, truth: truth))
    }
  }
}

/// A store as one server process uses it.
struct MortalStore: Store {
  let store: any Store
  let life: Life
  let mishaps: Mishaps
  let truth: SharingTruth?

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
    let truth = truth
    let value = try await store.write { (writing) throws(ServerError) in
      let value = try body(writing)
      // NB: the bodies run in the order of their commits.
      try truth?.noteWrite(in: writing)
      return value
    }
    // NB: the write is on disk now, so a crash here happens between the commit and the answer.
    try await comeBy()
    return value
  }

  /// Runs a write body, and rolls its transaction back. The body is then run again.
  private func rehearse<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async {
    do throws(ServerError) {
      try await store.write { (writing) throws(ServerError) in
        _ = try body(writing)
        throw ServerError(.tryAgainLater, Reason.storeBusy)
      }
    } catch {
      // An error of the body can be ignored here, because the second run throws it again.
      return
    }
  }

  private func comeBy() async throws(ServerError) {
    // NB: without this wait, only jobs of the same virtual time could run between two `await` calls
    // of a process.
    if mishaps.happens(\.slowStore) {
      try? await Loop.shared.sleep(mishaps.storeSeconds())
    } else {
      await Loop.shared.pause()
    }
    if !life.goesOn() { throw .fault("this process has crashed") }
  }
}
