import Foundation
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire
import Synchronization

/// The handlers with a store on disk and without HTTP, which makes a million cases affordable.
actor QueryServer {
  private let url: URL
  private let clock = Clock()
  private var parts: Parts

  /// The objects that are created again when the store is reopened.
  private struct Parts {
    let folder: DataFolder
    let stores: SQLiteStores
    let registry: SQLiteRegistry
    let handlers: [any EndpointHandler]

    init(url: URL, clock: Clock) throws {
      folder = try DataFolder(url)
      stores = SQLiteStores(folder: folder, makeEpoch: { 7 })
      registry = try SQLiteRegistry(folder: folder)
      let ambient = Ambient(now: { clock.now }, makeUUID: { UUID().uuidString })
      handlers =
        Service(
          stores: stores, containers: registry,
          assets: FolderAssetStore(data: url, now: ambient.now),
          signer: HMACSigner(secret: [UInt8](repeating: 7, count: 32)), ambient: ambient
        ).handlers
    }
  }

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-query-" + UUID().uuidString)
    parts = try Parts(url: url, clock: clock)
  }

  /// Closes the data and removes it.
  func stop() async {
    await close()
    try? FileManager.default.removeItem(at: url)
  }

  /// Closes the files and opens them again, as in a restart.
  func reopen() async throws {
    await close()
    parts = try Parts(url: url, clock: clock)
  }

  private func close() async {
    await parts.stores.close()
    await parts.registry.close()
    parts.folder.unlock()
  }

  func setClock(_ now: Int64) { clock.now = now }

  /// Handles one request of an endpoint.
  ///
  /// - Throws: ``ServerError``, also for a malformed text.
  func answer<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, user: String, scope: DatabaseScope,
    store: StoreAddress
  ) async throws -> E.Response {
    for handler in parts.handlers {
      guard let handler = handler as? any EndpointHandler<E> else { continue }
      let caller = Caller(userRecordName: user, deviceID: "1", requestUUID: "1")
      return try await handler.answer(
        request, to: caller, in: DatabaseAddress(store: store, scope: scope))
    }
    throw Mismatch("no handler of \(E.path)")
  }

  /// Handles a `records/query` request with this text.
  ///
  /// - Throws: ``ServerError``, also for a malformed text.
  func query(
    _ text: String, user: String, scope: DatabaseScope, store: StoreAddress
  ) async throws -> QueryRecords.Response {
    let request: QueryRecords.Request
    do { request = try QueryRecords.Request(jsonBytes: Array(text.utf8)) } catch {
      throw ServerError(error)
    }
    return try await answer(
      QueryRecords.self, request, user: user, scope: scope, store: store)
  }

  /// Changes the schema without the handlers, as a schema import does.
  func add(_ addition: SchemaAddition, to address: StoreAddress) async throws {
    let store = try await parts.stores.store(at: address)
    try await store.write { (store) throws(ServerError) in try store.add(addition) }
  }

  func set(_ settings: ContainerSettings, of address: StoreAddress) async throws {
    let store = try await parts.stores.store(at: address)
    try await store.write { (store) throws(ServerError) in try store.set(settings) }
  }
}

/// A clock that only the steps advance.
private final class Clock: Sendable {
  private let time = Mutex<Int64>(0)

  /// Milliseconds since 1970 UTC.
  var now: Int64 {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// A difference between the engine and the naive evaluator.
struct Mismatch: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
