import StratusDomain
public import StratusKit
import StratusServer
import StratusWire

/// A database as the server holds it, in an account's hands: what a test reads and seeds without a
/// device.
///
/// ```swift
/// let notes = alice.database("iCloud.com.example.Notes")
/// try await notes.save([note])
/// let found = try await notes.records(ofType: "Note", inZone: "Notes")
/// ```
///
/// Faults, and what has befallen the account, do not concern it. Devices hear of what it saves, as
/// of another device's.
public struct TestDatabase: Sendable {
  let core: TestCore
  let container: CKContainer
  let address: StoreAddress
  let scope: CKDatabase.Scope
  /// The user whose database it is; nil: everybody's.
  let owner: String?

  private var database: CKDatabase { container.database(with: scope) }

  /// The records of a zone, in the order in which they were saved last.
  ///
  /// - Parameters:
  ///   - recordType: nil: those of every type.
  ///   - zoneName: the default zone unless given.
  /// - Throws: `CKError.zoneNotFound` for a custom zone that is not there; what the server throws.
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

  /// A record; nil where there is none.
  ///
  /// - Throws: what the server throws.
  public func record(_ recordID: CKRecord.ID) async throws -> CKRecord? {
    do { return try await database.record(for: recordID) } catch let error as CKError {
      guard error.code == .unknownItem || error.code == .zoneNotFound else { throw error }
      return nil
    }
  }

  /// Saves records, whatever the server has of them. Custom zones are made where there are none.
  ///
  /// - Throws: the error of the first record that cannot be saved; those of its zone are not saved
  ///   then.
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

  /// Deletes records; one that is not there is no error.
  ///
  /// - Throws: the error of the first record that cannot be deleted.
  public func delete(_ recordIDs: [CKRecord.ID]) async throws {
    for part in Self.parts(of: recordIDs, upTo: Limits.operationsPerRequestMax) {
      let deleted = try await database.modifyRecords(saving: [], deleting: part)
      try Self.check(part.map { deleted.deleteResults[$0] })
    }
  }

  /// Throws the first error, preferably one that is its record's own.
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

  /// NB: from the store, since the default zone has no history that a device could ask for.
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
  /// Whether both are the same bytes, as the server tells names apart.
  fileprivate func isEqual(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension TestAccount {
  /// The account's private database in a container, or the public one in its hands, as the server
  /// holds it.
  ///
  /// - Parameters:
  ///   - scope: `.shared` is `CKError.badDatabase`.
  ///   - environment: development unless given.
  /// - Throws: what the server throws.
  public func database(
    _ containerIdentifier: String, _ scope: CKDatabase.Scope = .private,
    environment: CKContainer.Settings.Environment = .development
  ) async throws -> TestDatabase {
    if scope == .shared { throw CKError(.badDatabase) }
    let address = StoreAddress(container: containerIdentifier, environment)
    return TestDatabase(
      core: core, container: core.container(at: address, of: state), address: address,
      scope: scope,
      owner: scope == .private ? try await core.userRecordName(of: state, at: address) : nil)
  }
}

extension TestServer {
  /// A container's public database as the server holds it, in the hands of nobody who is signed in:
  /// it can be read. To seed it, choose who does: ``TestAccount/database(_:_:environment:)``.
  public func publicDatabase(
    _ containerIdentifier: String,
    environment: CKContainer.Settings.Environment = .development
  ) -> TestDatabase {
    let address = StoreAddress(container: containerIdentifier, environment)
    return TestDatabase(
      core: core, container: core.container(at: address, of: nil), address: address,
      scope: .public, owner: nil)
  }
}

extension StoreAddress {
  init(container: String, _ environment: CKContainer.Settings.Environment) {
    self.init(
      container: container,
      environment: ContainerEnvironment(rawValue: environment.rawValue) ?? .development)
  }
}
