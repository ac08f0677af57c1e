import StratusWire

/// A zone that a caller may use: its address, its row, and the caller's role in it.
///
/// Every endpoint resolves a request's zone ID in two steps. ``OpenDatabase/zoneAddress(_:)`` needs
/// no store. ``OpenDatabase/access(to:of:)`` reads the zone and the caller's role in the same
/// transaction as the records, so that the next transaction notices when a role ends.
struct ZoneAccess: Sendable {
  let address: ZoneAddress
  /// The zone's row, or nil for the default zone before anything is written to it.
  let zone: StoredZone?
  let role: ZoneRole
  private let policy: AccessPolicy
  /// The roots of the shared hierarchies that contain the records passed to
  /// ``findHierarchies(of:in:)``.
  private var hierarchies: [ExactName: String] = [:]

  init(address: ZoneAddress, zone: StoredZone?, role: ZoneRole, policy: AccessPolicy) {
    self.address = address
    self.zone = zone
    self.role = role
    self.policy = policy
  }

  var id: ZoneID { address.id }

  /// The caller's participation in the zone, or nil if the caller is not a participant.
  var participation: Participation? {
    switch role {
    case .participant(let participation): participation
    case .owner, .visitor: nil
    }
  }

  /// Reads the hierarchies of records, if the caller's rights depend on them.
  ///
  /// NB: if this method was not called for a record, a participant of a hierarchy has no right to
  /// that record.
  mutating func findHierarchies(
    of names: [String], in store: any HierarchyReading
  ) throws(ServerError) {
    guard let zone, let participation, !participation.rootNames.isEmpty else { return }
    hierarchies.merge(try store.readableHierarchies(of: names, in: zone)) { $1 }
  }

  /// Whether the caller has a permission for a stored record.
  func allows(
    _ permission: RecordPermissions, _ record: StoredRecord, schema: Schema
  ) -> Bool {
    var root = hierarchies[record.name]
    if permission != .read, participation != nil, record.type == ShareRecord.recordType {
      // Rights to a share come from that share, not from the hierarchy in which its record lies.
      root = (try? record.shareState())?.rootRecordName
    }
    return policy.allows(
      permission, createdBy: record.created.userRecordName, type: record.type, schema: schema,
      as: role, in: root)
  }

  /// Whether the caller may create records of a type. For a participant, this is not enough. The
  /// batch must also put the record into a permitted hierarchy; see ``allowsPlace(inHierarchy:)``.
  ///
  /// - Parameter recordType: the record type, or nil if it is not known yet. If it is nil, the
  ///   caller must be allowed to create records of at least one existing type, or of a new type.
  func allowsCreation(of recordType: String?, schema: Schema) -> Bool {
    if let participation {
      return recordType != ShareRecord.recordType
        && participation.shares.contains { $0.permission == .readWrite }
    }
    guard let recordType else {
      return schema.recordTypes.keys.contains { allowsCreation(of: $0, schema: schema) }
        || allowsCreation(of: "", schema: schema)
    }
    return policy.allows(
      .create, createdBy: nil, type: recordType, schema: schema, as: role)
  }

  /// Whether the caller may save records in a hierarchy.
  ///
  /// - Parameter root: the root of the hierarchy, or nil if the record would be in no hierarchy.
  func allowsPlace(inHierarchy root: String?) -> Bool {
    guard let participation else { return true }
    return participation.shares(showing: root).contains { $0.permission == .readWrite }
  }

  /// Whether a record is the root of a share that the caller participates in. Only the owner may
  /// delete the root.
  func isSharedRoot(_ record: StoredRecord) -> Bool {
    guard let participation else { return false }
    return participation.rootNames.contains { ExactName($0) == ExactName(record.name) }
  }

  /// The zone's newest change that the caller may know. A participant of hierarchies may know only
  /// the changes in them, and not how much the owner writes elsewhere in the zone.
  func newestVisibleChange(
    of zone: StoredZone, in store: any SharingReading
  ) throws(ServerError) -> Int64 {
    guard let participation, !participation.showsZone else { return zone.change }
    let newest = try store.newestPassage(in: zone, ofHierarchies: participation.rootNames)
    // A token for an older change would be treated as expired.
    return max(newest, zone.newestExpiredPassage)
  }

  /// The change token for the zone's newest change that the caller may know.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  func newestToken(
    of zone: StoredZone, in store: any StoreReading
  ) throws(ServerError) -> ChangeToken {
    var token = ChangeToken(
      subject: .zone, epoch: try store.epoch(of: zone.database), incarnation: zone.incarnation,
      change: try newestVisibleChange(of: zone, in: store))
    if let participation {
      token.participation = participation.number
      token.joined = participation.newestJoin
    }
    return token
  }
}

/// The role of a caller in a zone.
enum ZoneRole: Sendable, Hashable {
  /// The caller owns the zone and may do everything in it.
  case owner
  /// The zone is in the public database, where the grants of each record type decide on the rights.
  case visitor
  /// Another user owns the zone, and shares it or some of its hierarchies with the caller.
  case participant(Participation)
}

extension OpenDatabase {
  /// Returns the address of the zone that a request names. A zone ID of nil names the default zone.
  ///
  /// - Throws: `ZONE_NOT_FOUND` if no zone with that ID can be in this database. Examples are the
  ///   zone of another user in a private database, and a zone without an owner in the shared one.
  func zoneAddress(_ zoneID: ZoneID?) throws(ServerError) -> ZoneAddress {
    let name = zoneID?.zoneName ?? ZoneID.defaultZoneName
    let owner = zoneID?.ownerRecordName
    switch view {
    case .public:
      return ZoneAddress(database: .public, name: name)
    case .private(let user):
      if let owner, owner != user { throw Self.zoneNotFound }
      return ZoneAddress(database: .private(owner: user), name: name)
    case .shared(let user):
      guard let owner, owner != user else { throw Self.zoneNotFound }
      return ZoneAddress(database: .private(owner: owner), name: name)
    }
  }

  /// Reads a zone, and the caller's role in it.
  ///
  /// - Throws: `ZONE_NOT_FOUND` if the zone does not exist or the caller has no role in it. The
  ///   caller cannot distinguish these cases. The default zone of a public or private database
  ///   always exists.
  func access(
    to address: ZoneAddress, of store: any StoreReading
  ) throws(ServerError) -> ZoneAccess {
    try access(
      to: address, zone: try store.zone(named: address.name, in: address.database), of: store)
  }

  /// Like ``access(to:of:)``, but also locks the zone. No other transaction may write to the zone
  /// until this transaction ends.
  ///
  /// - Parameter records: the names of the records whose latest states will be read next.
  func lockedAccess(
    to address: ZoneAddress, beforeReading records: [String] = [], of store: any StoreWriting
  ) throws(ServerError) -> ZoneAccess {
    let (name, key) = (address.name, address.database)
    let zone =
      if records.count == 1 {
        try store.lockZone(named: name, in: key, beforeReading: records[0])
      } else {
        try store.lockZone(named: name, in: key)
      }
    return try access(to: address, zone: zone, of: store)
  }

  private func access(
    to address: ZoneAddress, zone: StoredZone?, of store: any StoreReading
  ) throws(ServerError) -> ZoneAccess {
    let participation: Participation? =
      if case .shared(let user) = view, let zone {
        try store.participation(of: user, in: zone)
      } else {
        nil
      }
    guard let role = policy.role(in: address.database, participation: participation) else {
      throw Self.zoneNotFound
    }
    if zone == nil, !address.isDefault {
      throw try store.missingZone(named: address.name, in: address.database)
    }
    return ZoneAccess(address: address, zone: zone, role: role, policy: policy)
  }

  static var zoneNotFound: ServerError { ServerError(.zoneNotFound, Reason.zoneNotFound) }
}

extension StoreReading {
  /// Returns the live records with these names that the caller may read.
  ///
  /// A record that the caller may not read is left out, like a missing one.
  func readableRecords(
    named names: [String], _ access: ZoneAccess
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    guard let zone = access.zone else { return [:] }
    let records = try records(named: names, in: zone)
    if access.role == .owner || records.isEmpty { return records }
    let schema = try schema()
    var access = access
    try access.findHierarchies(of: names, in: self)
    return records.filter { [access] in access.allows(.read, $0.value, schema: schema) }
  }
}
