import StratusSQLite
import StratusWire
import Synchronization

@testable import StratusDomain

/// The server's handlers with a store in memory. Ann owns the zone `Trips`. Most tests write its
/// shares and participants directly to the store.
final class SharedServer: Sendable {
  static let ann = "_ann"
  static let address = ZoneAddress(database: .private(owner: ann), name: "Trips")
  static let storeAddress = StoreAddress(container: "iCloud.a", environment: .development)

  let store: any Store
  private let closeStores: @Sendable () -> Void
  private let clock = Mutex<Int64>(1_767_225_600_000)
  private let names = UUIDCounter()
  private let databases: DatabaseAccess

  convenience init() async throws {
    let stores = MemoryStores(makeEpoch: { 7 })
    try await self.init(stores) { stores.close() }
  }

  convenience init(_ stores: CountedStores) async throws {
    try await self.init(stores) { stores.close() }
  }

  private init(_ stores: any StoreCatalog, close: @escaping @Sendable () -> Void) async throws {
    closeStores = close
    store = try await stores.store(at: Self.storeAddress)
    let ambient = Ambient(now: { 1_767_225_600_000 }, makeUUID: { [names] in names.next() })
    databases = DatabaseAccess(
      stores: stores, users: UserRecords(ambient: ambient),
      tickets: AssetTickets(signer: NoSigner()), ambient: ambient, createContainer: { _, _ in })
    try await store.write { (store) throws(ServerError) in
      _ = try store.createZone(named: Self.address.name, in: Self.address.database)
    }
  }

  /// The time in milliseconds since 1970 UTC. Each call returns a later time.
  var now: Int64 {
    clock.withLock {
      $0 += 1_000
      return $0
    }
  }

  /// A new text with the form of a UUID.
  func makeUUID() -> String { names.next() }

  /// Accepts a share by the ID of its URL.
  ///
  /// - Returns: the error code, or nil if the user has joined.
  func accept(_ shortGUID: String, as user: String) async throws(ServerError) -> ErrorCode? {
    guard case .failure(_, let error)? = try await accept([shortGUID], as: user).first else {
      return nil
    }
    return error.code
  }

  func accept(
    _ shortGUIDs: [String], as user: String
  ) async throws(ServerError) -> [ShareResult] {
    let handler = AcceptSharesHandler(
      directory: ShareDirectory(databases: databases, accounts: .none), changes: LocalSignals())
    let response = try await handler.answer(
      AcceptShares.Request(shortGUIDs: shortGUIDs.map { ShortGUID(value: $0) }),
      to: caller(user), in: DatabaseAddress(store: Self.storeAddress, scope: .public))
    return response.results
  }

  func close() { closeStores() }

  /// Saves or deletes records in one batch that is not atomic.
  ///
  /// - Parameter followersMax: the maximum number of records that follow their parents in one step.
  /// - Returns: the error code of each operation, or nil if it succeeded.
  /// - Throws: the error of the whole request.
  func modify(
    _ operations: [RecordOperation], as user: String, followersMax: Int = Limits.hierarchyStepMax,
    writers: ZoneWriters = ZoneWriters(countMax: 100)
  ) async throws(ServerError) -> [ErrorCode?] {
    let now = now
    let handler = ModifyRecordsHandler(
      databases: databases, ambient: Ambient(now: { now }, makeUUID: { self.makeUUID() }),
      cascades: LocalSignals(), changes: LocalSignals(), writers: writers,
      followersMax: followersMax)
    let response = try await handler.answer(
      ModifyRecords.Request(
        zoneID: Self.address.id, operations: operations, isAtomic: false),
      to: caller(user), in: database(of: user))
    return response.records.map { item in
      if case .failure(let failure) = item { failure.error.code } else { nil }
    }
  }

  func page(
    of user: String, since token: String?, limit: Int, isReversed: Bool = false,
    showsDeletedTypes: Bool = false
  ) async throws(ServerError) -> FetchRecordChanges.Response {
    try await FetchRecordChangesHandler(databases: databases).answer(
      FetchRecordChanges.Request(
        zoneID: Self.address.id, syncToken: token,
        selection: ChangesSelection(
          resultsLimit: limit, isReversed: isReversed,
          showsDeletedRecordTypes: showsDeletedTypes)),
      to: caller(user), in: database(of: user))
  }

  func lookUp(
    _ names: [String], as user: String
  ) async throws(ServerError) -> [String: RecordDictionary] {
    let response = try await LookupRecordsHandler(databases: databases).answer(
      LookupRecords.Request(zoneID: Self.address.id, recordNames: names),
      to: caller(user), in: database(of: user))
    var found: [String: RecordDictionary] = [:]
    for case .record(let record) in response.records { found[record.recordName] = record }
    return found
  }

  func query(_ type: String, as user: String) async throws(ServerError) -> [String] {
    let handler = QueryRecordsHandler(databases: databases, buildRowsMax: 1_000)
    let response = try await handler.answer(
      QueryRecords.Request(query: Query(recordType: type), zoneID: Self.address.id),
      to: caller(user), in: database(of: user))
    var names: [String] = []
    for case .record(let record) in response.records { names.append(record.recordName) }
    return names
  }

  func databaseChanges(
    of user: String, since token: String?, relisting zonesRelistedMax: Int
  ) async throws(ServerError) -> FetchDatabaseChanges.Response {
    try await FetchDatabaseChangesHandler(
      databases: databases, zonesRelistedMax: zonesRelistedMax
    ).answer(
      FetchDatabaseChanges.Request(syncToken: token), to: caller(user), in: database(of: user))
  }

  /// Deletes the zone in the user's shared database.
  ///
  /// - Returns: the error code, or nil if the user has left.
  func leaveZone(as user: String) async throws(ServerError) -> ErrorCode? {
    let now = now
    let handler = ModifyZonesHandler(
      databases: databases, ambient: Ambient(now: { now }, makeUUID: { self.makeUUID() }),
      changes: LocalSignals())
    let response = try await handler.answer(
      ModifyZones.Request(
        operations: [ModifyZones.Operation(.delete, Self.address.id)]),
      to: caller(user), in: database(of: user))
    guard case .failure(_, let error)? = response.zones.first else { return nil }
    return error.code
  }

  /// Moves records that large moves have left behind, in steps of at most `limit` records. Stops
  /// when none is left, or after `stepsMax` steps.
  func continueHierarchies(limit: Int, stepsMax: Int = .max) async throws(ServerError) {
    let now = now
    let work = ContinueHierarchies(
      store: store, ambient: Ambient(now: { now }, makeUUID: { "U" }))
    var steps = 0
    while steps < stepsMax, try await work.step(limit: limit) { steps += 1 }
  }

  private func caller(_ user: String) -> Caller {
    Caller(userRecordName: user, deviceID: "d", requestUUID: "R")
  }

  private func database(of user: String) -> DatabaseAddress {
    DatabaseAddress(store: Self.storeAddress, scope: user == Self.ann ? .private : .shared)
  }
}

private struct NoSigner: TicketSigner {
  func signature(of bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 32) }
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool { false }
  func encrypted(_ bytes: [UInt8]) -> [UInt8] { bytes }
  func decrypted(_ bytes: [UInt8]) -> [UInt8]? { bytes }
}

/// Creates texts with the form of UUIDs.
private final class UUIDCounter: Sendable {
  private let count = Mutex<UInt64>(0)

  func next() -> String {
    let number = count.withLock {
      $0 += 1
      return $0
    }
    let digits = String(number, radix: 16, uppercase: true)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }
}
