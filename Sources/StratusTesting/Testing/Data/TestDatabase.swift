import StratusDomain
public import StratusKit
import StratusServer
import StratusWire

/// A database on the server, which a test accesses as an account. The test can read and seed
/// records without a device.
///
/// ```swift
/// let notes = try await alice.database("iCloud.com.example.Notes")
/// try await notes.save([note])
/// let found = try await notes.records(ofType: "Note", inZone: "Notes")
/// ```
///
/// Faults and account restrictions do not affect this access. Devices are notified of the saves as
/// if another device had made them.
public struct TestDatabase: Sendable {
  let core: TestCore
  let container: CKContainer
  let address: StoreAddress
  let scope: CKDatabase.Scope
  /// The user record name of the database's owner. nil means the public database.
  let owner: String?

  private var database: CKDatabase { container.database(with: scope) }

  /// Returns the records of a zone, in the order of their last saves.
  ///
  /// - Parameters:
  ///   - recordType: the type of the records. nil means all types.
  ///   - zoneName: the name of the zone. Without it, the zone is the default zone.
  /// - Throws: `CKError.zoneNotFound` if a custom zone does not exist, or the server's error.
  public func records(
    ofType recordType: CKRecord.RecordType? = nil,
    inZone zoneName: String = CKRecordZone.ID.defaultZoneName
  ) async throws -> [CKRecord] {
    let zoneID = CKRecordZone.ID(zoneName: zoneName)
    let ids = try await names(ofType: recordType, inZone: zoneName).map {
      CKRecord.ID(recordName: $0, zoneID: zoneID)
    }
    var records: [CKRecord] = []
    for part in Self.parts(of: ids, upTo: Limits.lookupsPerRequestMax) {
      let found = try await database.records(for: part)
      records += try part.compactMap { try found[$0]?.get() }
    }
    return records
  }

  /// Returns a record, or nil if it does not exist.
  ///
  /// - Throws: the server's error.
  public func record(_ recordID: CKRecord.ID) async throws -> CKRecord? {
    do { return try await database.record(for: recordID) } catch let error as CKError {
      guard error.code == .unknownItem || error.code == .zoneNotFound else { throw error }
      return nil
    }
  }

  /// Saves records, and overwrites the server's versions. Missing custom zones are created.
  ///
  /// - Throws: the error of the first record that cannot be saved. In a custom zone, no record of
  ///   the same request is saved then. A request has at most 400 records.
  public func save(_ records: [CKRecord]) async throws {
    let zoneIDs = Set(records.map(\.recordID.zoneID)).filter { $0 != .default }
    if !zoneIDs.isEmpty {
      let made = try await database.modifyRecordZones(
        saving: zoneIDs.map { CKRecordZone(zoneID: $0) }, deleting: [])
      for zoneID in zoneIDs { _ = try made.saveResults[zoneID]?.get() }
    }
    for part in Self.parts(of: records, upTo: Limits.operationsPerRequestMax) {
      let saved = try await database.modifyRecords(
        saving: part, deleting: [], savePolicy: .allKeys, atomically: true)
      try Self.check(part.map { saved.saveResults[$0.recordID] })
    }
  }

  /// Deletes records. A record that does not exist is not an error.
  ///
  /// - Throws: the error of the first record that cannot be deleted.
  public func delete(_ recordIDs: [CKRecord.ID]) async throws {
    for part in Self.parts(of: recordIDs, upTo: Limits.operationsPerRequestMax) {
      let deleted = try await database.modifyRecords(saving: [], deleting: part)
      try Self.check(part.map { deleted.deleteResults[$0] })
    }
  }

  /// Throws the first error that concerns a record itself, or else the first error of the batch.
  private static func check<Value>(_ results: [Result<Value, any Error>?]) throws {
    let errors = results.compactMap { result -> (any Error)? in
      guard case .failure(let error) = result else { return nil }
      return error
    }
    let own = errors.first { ($0 as? CKError)?.code != .batchRequestFailed }
    if let error = own ?? errors.first { throw error }
  }

  private static func parts<Value>(of values: [Value], upTo most: Int) -> [[Value]] {
    stride(from: 0, to: values.count, by: most).map {
      Array(values[$0..<min($0 + most, values.count)])
    }
  }

  /// NB: the names are read from the store, because devices cannot fetch changes of the default
  /// zone.
  private func names(
    ofType recordType: String?, inZone zoneName: String
  ) async throws -> [String] {
    let key = owner.map { DatabaseKey.private(owner: $0) } ?? .public
    let names = try await core.composition.store(at: address).read {
      (store) throws(ServerError) -> [String]? in
      guard let zone = try store.zone(named: zoneName, in: key) else { return nil }
      var names: [String] = []
      var range = ChangeRange(after: 0, through: zone.change)
      while true {
        let page = try store.recordChanges(
          in: zone, range: range, newestFirst: false, limit: 1_000, sizeBytesMax: 10_000_000)
        for record in page where !record.isDeleted {
          if recordType.map(record.type.isEqual(to:)) ?? true { names.append(record.name) }
        }
        guard let last = page.last, last.change < zone.change else { return names }
        range.after = last.change
      }
    }
    if let names { return names }
    guard zoneName == CKRecordZone.ID.defaultZoneName else { throw CKError(.zoneNotFound) }
    return []
  }
}

extension String {
  /// Whether both strings have the same bytes. The server compares names in the same way.
  fileprivate func isEqual(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension TestAccount {
  /// Returns direct access to the account's private database in a container, or to the public
  /// database.
  ///
  /// - Parameters:
  ///   - containerIdentifier: the container's name.
  ///   - scope: the database. `.shared` throws `CKError.badDatabase`.
  ///   - environment: the environment. nil means the environment in which the server's apps run.
  /// - Throws: the server's error.
  public func database(
    _ containerIdentifier: String, _ scope: CKDatabase.Scope = .private,
    environment: CKContainer.Settings.Environment? = nil
  ) async throws -> TestDatabase {
    if scope == .shared { throw CKError(.badDatabase) }
    let address = core.address(of: containerIdentifier, environment)
    return TestDatabase(
      core: core, container: core.container(at: address, of: state), address: address,
      scope: scope,
      owner: scope == .private ? try await core.userRecordName(of: state, at: address) : nil)
  }
}

extension TestServer {
  /// Returns direct, read-only access to a container's public database, without a signed-in user.
  /// To seed the public database, use an account: ``TestAccount/database(_:_:environment:)``.
  public func publicDatabase(
    _ containerIdentifier: String,
    environment: CKContainer.Settings.Environment? = nil
  ) -> TestDatabase {
    let address = core.address(of: containerIdentifier, environment)
    return TestDatabase(
      core: core, container: core.container(at: address, of: nil), address: address,
      scope: .public, owner: nil)
  }
}

extension TestCore {
  /// Returns the address of a container's store.
  ///
  /// - Parameter environment: the environment. nil means the environment in which apps run.
  func address(
    of container: String, _ environment: CKContainer.Settings.Environment?
  ) -> StoreAddress {
    StoreAddress(
      container: container,
      environment: environment.flatMap { ContainerEnvironment(rawValue: $0.rawValue) }
        ?? self.environment)
  }
}
