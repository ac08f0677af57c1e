import StratusWire
import Synchronization

/// Creates the user records of callers: one in the public database, and one in the private
/// database. Both have the type `Users` and are empty at first. The user of a server-to-server key
/// has only the public record.
final class UserRecords: Sendable {
  /// The record type of user records.
  static let recordType = "Users"
  /// The field with the roles of a user. It belongs to the system, so no schema contains it.
  static let rolesField = "roles"
  /// The type of the field `roles`.
  static let rolesType = FieldType(.int64, isList: true)

  private struct Arrival: Hashable {
    let address: StoreAddress
    let user: String
  }

  private let ambient: Ambient
  /// The users that are known to have records. This is only a cache: a lost entry costs one read.
  private let known = Mutex<Set<Arrival>>([])
  /// The creation times of records in stores that stand in for missing ones. The records get the
  /// same times in the store that is created later, so that their change tags stay valid.
  private let standInTimes = Mutex<[Arrival: Int64]>([:])

  init(ambient: Ambient) { self.ambient = ambient }

  /// Creates the missing records.
  ///
  /// - Parameters:
  ///   - isStandIn: whether the store stands in for a missing one and forgets the records.
  ///   - hasPrivateDatabase: whether the user has a private database. The user of a
  ///     server-to-server key has none.
  func ensure(
    _ user: String, in store: any Store, at address: StoreAddress, isStandIn: Bool = false,
    hasPrivateDatabase: Bool = true
  ) async throws(ServerError) {
    let arrival = Arrival(address: address, user: user)
    if !isStandIn, known.withLock({ $0.contains(arrival) }) { return }
    let databases: [DatabaseKey] =
      hasPrivateDatabase ? [.public, .private(owner: user)] : [.public]
    // NB: the records are read before anything is written, so that a user can still read while the
    // disk is full.
    let isThere = try await store.read { (store) throws(ServerError) in
      for database in databases {
        guard let zone = try store.zone(named: ZoneID.defaultZoneName, in: database),
          try !store.records(named: [user], in: zone).isEmpty
        else { return false }
      }
      return true
    }
    if isThere { return remember(arrival) }
    let now = creationTime(of: arrival, isStandIn: isStandIn)
    let zones = databases.map { ZoneAddress(database: $0, name: ZoneID.defaultZoneName) }
    try await store.write(to: zones) { (store) throws(ServerError) in
      for database in databases {
        try Self.ensure(user, in: database, of: store, now: now)
      }
    }
    if !isStandIn { remember(arrival) }
  }

  /// Returns the creation time of the records, in milliseconds since 1970 UTC.
  private func creationTime(of arrival: Arrival, isStandIn: Bool) -> Int64 {
    let now = ambient.now()
    return standInTimes.withLock { times in
      if !isStandIn { return times.removeValue(forKey: arrival) ?? now }
      if let time = times[arrival] { return time }
      if times.count >= Self.knownMax { times.removeAll() }
      times[arrival] = now
      return now
    }
  }

  private func remember(_ arrival: Arrival) {
    known.withLock {
      if $0.count >= Self.knownMax { $0.removeAll() }
      $0.insert(arrival)
    }
  }

  /// Forgets which users have records in a store whose data was removed.
  func forget(at address: StoreAddress) {
    known.withLock { $0 = $0.filter { $0.address != address } }
  }

  /// The maximum number of cached users. Each needs about 100 bytes.
  private static let knownMax = 100_000

  private static func ensure(
    _ user: String, in database: DatabaseKey, of store: any StoreWriting, now: Int64
  ) throws(ServerError) {
    let name = ZoneID.defaultZoneName
    let zone =
      if let found = try store.lockZone(named: name, in: database) {
        found
      } else {
        try store.createZone(named: name, in: database)
      }
    if try !store.records(named: [user], in: zone).isEmpty { return }
    let stamp = Stamp(timestamp: now, userRecordName: user, deviceID: "1")
    let record = StoredRecord(
      name: user, type: recordType, change: zone.change + 1, isDeleted: false, created: stamp,
      modified: stamp, parentRecordName: nil, fields: .empty, revision: 1)
    var rows = RowChanges()
    rows.usage[record.type] = Usage(of: record, assetBytes: 0)
    try store.apply(ChangeSet(zone: zone, records: [record], rows: rows))
  }
}
