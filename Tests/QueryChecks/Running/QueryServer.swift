import Foundation
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire
import Synchronization

/// The server's handlers with a store on disk. Requests do not pass through HTTP, so that a million
/// cases take less time.
actor QueryServer {
  private let url: URL
  private let clock = Clock()
  private var parts: Parts

  /// The objects that are created again when the files are opened again.
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

  /// Closes the files and deletes them.
  func stop() async {
    await close()
    try? FileManager.default.removeItem(at: url)
  }

  /// Closes the files and opens them again, as a restart of the server does.
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

  /// Answers one request of an endpoint.
  ///
  /// - Throws: ``ServerError``, or ``Mismatch`` if no handler has this endpoint.
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

  /// Answers a `records/query` request with this text.
  ///
  /// - Throws: ``ServerError``, also if the text is malformed.
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

  /// Changes the schema directly in the store, as the import of a schema does.
  func add(_ addition: SchemaAddition, to address: StoreAddress) async throws {
    let store = try await parts.stores.store(at: address)
    try await store.write { (store) throws(ServerError) in try store.add(addition) }
  }

  func set(_ settings: ContainerSettings, of address: StoreAddress) async throws {
    let store = try await parts.stores.store(at: address)
    try await store.write { (store) throws(ServerError) in try store.set(settings) }
  }
}

/// A clock that only the test advances.
private final class Clock: Sendable {
  private let time = Mutex<Int64>(0)

  /// The time in milliseconds since 1970 UTC.
  var now: Int64 {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// A difference between the server's answer and the naive evaluator's result.
struct Mismatch: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
