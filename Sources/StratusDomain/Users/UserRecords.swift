import StratusWire
import Synchronization

/// Sees to it that who calls has user records: one in the public database, one in the private one,
/// both of type `Users` and empty at first (cloudkit-semantics §6).
final class UserRecords: Sendable {
  /// The record type of user records.
  static let recordType = "Users"
  /// The field that names the roles of a user.
  static let rolesField = "roles"

  private struct Arrival: Hashable {
    let address: StoreAddress
    let user: String
  }

  private let ambient: Ambient
  /// Who is known to have them. Only a memory: losing it costs a read.
  private let known = Mutex<Set<Arrival>>([])

  init(ambient: Ambient) { self.ambient = ambient }

  /// Makes what is missing.
  func ensure(
    _ user: String, in store: any Store, at address: StoreAddress
  ) async throws(ServerError) {
    let arrival = Arrival(address: address, user: user)
    if known.withLock({ $0.contains(arrival) }) { return }
    // NB: looks before it writes, so that a user can read while the disk is full.
    let isThere = try await store.read { (store) throws(ServerError) in
      for database in [DatabaseKey.public, .private(owner: user)] {
        guard let zone = try store.zone(named: ZoneID.defaultZoneName, in: database),
          try !store.records(named: [user], in: zone).isEmpty
        else { return false }
      }
      return true
    }
    if isThere { return remember(arrival) }
    let now = ambient.now()
    try await store.write { (store) throws(ServerError) in
      for database in [DatabaseKey.public, .private(owner: user)] {
        try Self.ensure(user, in: database, of: store, now: now)
      }
    }
    remember(arrival)
  }

  private func remember(_ arrival: Arrival) {
    known.withLock {
      if $0.count >= Self.knownMax { $0.removeAll() }
      $0.insert(arrival)
    }
  }

  /// Bounds the memory for users seen; about 100 bytes each.
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
      modified: stamp, parentRecordName: nil, fields: .empty)
    try store.apply(ChangeSet(zone: zone, records: [record]))
  }
}
