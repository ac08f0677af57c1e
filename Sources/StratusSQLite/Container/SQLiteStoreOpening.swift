import Foundation
import StratusDomain
import StratusSQL

/// Opens stores, each on a separate thread.
struct SQLiteStoreOpening: Sendable {
  let folder: DataFolder
  let registry: (any StoreRegistry)?
  let epochs: PlannedEpochs
  let now: @Sendable () -> Int64
  let waitingMax: Int
  let clock: WriteClock?

  /// Opens the store at an address, and creates it if it never existed.
  ///
  /// - Throws: `TRY_AGAIN_LATER` if the registry knows the store, but the store's file is missing
  ///   or was replaced. Also if another program locks the file, or if the disk is full. Otherwise
  ///   `INTERNAL_ERROR`.
  func open(_ address: StoreAddress) async throws(ServerError) -> SQLiteStore {
    let known = try await registry?.epoch(ofStore: address)
    let (store, epoch) = try await Self.onOwnThread { () throws(ServerError) in
      try open(address, knownEpoch: known)
    }
    if let registry, known == nil, let epoch {
      do throws(ServerError) { try await registry.keep(epoch: epoch, ofStore: address) } catch {
        await store.engine.close()
        throw error
      }
    }
    return store
  }

  /// Returns the epoch in a store's file, or nil if the file has no tables or cannot be read.
  func epoch(ofFileAt address: StoreAddress) -> Int64? {
    let path = DataFolder.file(of: address, in: folder.url).path
    do throws(ServerError) {
      let connection = try SQLiteConnection(path: path, configuration: SQLiteSettings.source)
      defer { connection.close() }
      return try StoreTables.identity(on: connection)
    } catch { return nil }
  }

  private func open(
    _ address: StoreAddress, knownEpoch: Int64?
  ) throws(ServerError) -> (SQLiteStore, Int64?) {
    let path = try path(of: address)
    if knownEpoch != nil, !OwnedFile.holdsBytes(path) { throw SQLiteFailure.lost }
    var epoch: Int64?
    let file = try SQLiteFile<StoreSession>(path: path, waitingMax: waitingMax, clock: clock) {
      (connection) throws(ServerError) in
      try StoreTables.prepare(on: connection, makeEpoch: { epochs.take(at: address) }, now: now)
      epoch = try StoreTables.identity(on: connection)
      // NB: the error is thrown inside the transaction, so that the file of another store is not
      // changed.
      if let knownEpoch, knownEpoch != epoch { throw SQLiteFailure.lost }
    }
    return (SQLiteStore(engine: file), epoch)
  }

  private func path(of address: StoreAddress) throws(ServerError) -> String {
    let path: String?
    do {
      path = try folder.storePath(
        container: address.container, environment: address.environment)
    } catch {
      throw .fault("a container's folder cannot be created", facts: ["error": "\(error)"])
    }
    guard let path else {
      throw .fault("a container's ID cannot name a folder", facts: ["id": address.container])
    }
    return path
  }

  /// Runs a body on a separate thread. The body may wait for the disk or for another program's
  /// lock, and Swift's tasks have only as many threads as there are cores.
  private static func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, ServerError>, Never>) in
      let thread = Thread {
        do throws(ServerError) { continuation.resume(returning: .success(try body())) } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      thread.stackSize = 4 << 20
      thread.start()
    }
    return try result.get()
  }
}
