public import StratusDomain

/// Saves of records that wait on a connection, so that one statement writes the rows of several
/// saves.
///
/// The order of the saves does not matter, because each record and each entry is collected only
/// once. The changes to a zone are added up.
public final class CollectedSaves {
  /// The changes to a row of `zones`, and to the listing of the zone.
  struct Zone {
    var database: Int64
    var zone: Int64
    /// The change number of the zone before the saves.
    var base: Int64
    var newest: Int64
    var token: String?
    var addedBytes: Int64
    var recentUsage: String
    /// Whether the zone is in the history of its database.
    var isListed: Bool
  }

  private struct Record: Hashable {
    var zone: Int64
    var name: ExactName
  }

  private struct Contents {
    var records: Set<Record> = []
    var inserted: [[SQLValue]] = []
    var updated: [[SQLValue]] = []
    var removedEntries: [[SQLValue]] = []
    var addedEntries: [[SQLValue]] = []
    /// The changes to zones, in the order in which the zones were first changed.
    var zones: [Zone] = []
    /// The positions in ``zones``, by the number of the zone.
    var positions: [Int64: Int] = [:]
    var sizeBytes = 0
  }

  private var contents = Contents()
  public private(set) var isEmpty = true

  public init() {}

  /// Whether the saves should be sent, because they need much memory.
  var isFull: Bool {
    contents.records.count >= Self.recordsMax || contents.sizeBytes >= Self.sizeBytesMax
      || contents.addedEntries.count + contents.removedEntries.count >= Self.entriesMax
  }

  /// Whether a state of this record is collected. A further state of the record must not be.
  func contains(_ name: String, in zone: Int64) -> Bool {
    contents.records.contains(Record(zone: zone, name: ExactName(name)))
  }

  /// Adds a new record.
  ///
  /// - Parameter values: the values of ``RecordStatements/replace``.
  func insert(_ name: String, in zone: Int64, _ values: [SQLValue], sizeBytes: Int) {
    note(name, in: zone, sizeBytes: sizeBytes)
    contents.inserted.append(values)
  }

  /// Adds a new state of a record.
  ///
  /// - Parameter values: the values of ``RecordStatements/update``.
  func update(_ name: String, in zone: Int64, _ values: [SQLValue], sizeBytes: Int) {
    note(name, in: zone, sizeBytes: sizeBytes)
    contents.updated.append(values)
  }

  /// Adds an index entry to insert. The values are those of ``EntryStatements/insert``.
  func insertEntry(_ values: [SQLValue]) {
    isEmpty = false
    contents.addedEntries.append(values)
  }

  /// Adds an index entry to delete. The values are those of ``EntryStatements/delete``.
  func deleteEntry(_ values: [SQLValue]) {
    isEmpty = false
    contents.removedEntries.append(values)
  }

  /// Adds the changes to a zone.
  ///
  /// - Returns: false, and adds nothing, if the changes do not follow on from those that are
  ///   collected.
  func advance(_ zone: Zone) -> Bool {
    isEmpty = false
    guard let position = contents.positions[zone.zone] else {
      contents.positions[zone.zone] = contents.zones.count
      contents.zones.append(zone)
      return true
    }
    let known = contents.zones[position]
    guard known.newest == zone.base else { return false }
    var sum = zone
    sum.base = known.base
    sum.token = zone.token ?? known.token
    sum.addedBytes += known.addedBytes
    contents.zones[position] = sum
    return true
  }

  /// Forgets all saves, because their transaction has ended.
  public func discard() {
    if isEmpty { return }
    isEmpty = true
    contents = Contents()
  }

  /// Queues the statements of the saves, and forgets the saves.
  public func send(on connection: any SQLConnection) throws(ServerError) {
    if isEmpty { return }
    let contents = self.contents
    discard()
    // NB: the rows of several saves need lists, which take more time for a single row.
    if let lists = connection.dialect.lists, contents.records.count > 1 || contents.zones.count > 1
    {
      try Self.sendTogether(contents, lists, on: connection)
    } else {
      try Self.sendOne(contents, on: connection)
    }
  }

  private func note(_ name: String, in zone: Int64, sizeBytes: Int) {
    isEmpty = false
    contents.records.insert(Record(zone: zone, name: ExactName(name)))
    contents.sizeBytes += sizeBytes
  }

  private static func sendOne(
    _ contents: Contents, on connection: any SQLConnection
  ) throws(ServerError) {
    for values in contents.inserted { try connection.queue(RecordStatements.replace, values) }
    for values in contents.updated {
      try connection.queue(
        RecordStatements.update, values, expecting: .one(otherwise: missingRecord))
    }
    for values in contents.removedEntries {
      try connection.queue(EntryStatements.delete, values)
    }
    try EntryStatements.insertAll(contents.addedEntries, on: connection)
    for zone in contents.zones {
      let values = zone.values
      guard zone.isListed else {
        try connection.queue(
          RecordStatements.advance, values, expecting: .one(otherwise: doesNotFollow))
        continue
      }
      try connection.queue(
        RecordStatements.advanceAndRelist,
        values + [.integer(zone.database), .integer(zone.database), .integer(zone.zone)],
        expecting: .one(otherwise: doesNotFollowOrIsNotListed))
    }
  }

  private static func sendTogether(
    _ contents: Contents, _ lists: SQLLists, on connection: any SQLConnection
  ) throws(ServerError) {
    if !contents.inserted.isEmpty {
      try connection.queue(
        RecordStatements.replaceSeveral,
        lists.columns(of: contents.inserted, RecordStatements.insertedColumns))
    }
    if !contents.updated.isEmpty {
      try connection.queue(
        RecordStatements.updateSeveral,
        lists.columns(of: contents.updated, RecordStatements.updatedColumns)
          + [.integer(Int64(contents.updated.count))], dividingIf: missingRecord)
    }
    if !contents.removedEntries.isEmpty {
      try connection.queue(
        EntryStatements.deleteSeveral,
        lists.columns(of: contents.removedEntries, EntryStatements.columns))
    }
    try EntryStatements.insertAll(contents.addedEntries, on: connection)
    if contents.zones.isEmpty { return }
    // NB: the rows of databases change in the order of the bodies, which is the same in all
    // transactions. So two transactions do not wait for each other in a cycle.
    let zones = contents.zones
    var places: [SQLValue] = []
    var databases: [Int64] = []
    var counts: [Int64: Int64] = [:]
    for zone in zones {
      guard zone.isListed else {
        places.append(.integer(0))
        continue
      }
      let place = (counts[zone.database] ?? 0) + 1
      if place == 1 { databases.append(zone.database) }
      counts[zone.database] = place
      places.append(.integer(place))
    }
    let listedCount = zones.filter(\.isListed).count
    try connection.queue(
      RecordStatements.advanceSeveral,
      lists.columns(of: zones.map(\.values), RecordStatements.advancedColumns)
        + [
          lists.integers(zones.map { .integer($0.database) }), lists.integers(places),
          lists.integers(databases.map { .integer($0) }),
          lists.integers(databases.map { .integer(counts[$0] ?? 0) }),
          .integer(Int64(zones.count)), .integer(Int64(listedCount)),
        ], dividingIf: doesNotFollowOrIsNotListed)
  }

  private static let missingRecord = "a record to change is not there"
  private static let doesNotFollow =
    "a change set does not follow on from its zone's newest change"
  private static let doesNotFollowOrIsNotListed = """
    a change set does not follow on from its zone's newest change, or the zone is not listed
    """

  /// Choice: more rows in one statement save little, and each row waits in memory.
  private static let recordsMax = 256
  private static let entriesMax = 4_096
  private static let sizeBytesMax = 4 << 20
}

extension CollectedSaves.Zone {
  /// The values of ``RecordStatements/advance``.
  var values: [SQLValue] {
    [
      .integer(newest), .optional(token), .integer(addedBytes), .text(recentUsage),
      .integer(zone), .integer(base),
    ]
  }
}

/// The type of the values in a column.
enum ListedColumn {
  case integer
  case text
}

extension SQLLists {
  /// Turns rows into a list for each column.
  func columns(of rows: [[SQLValue]], _ types: [ListedColumn]) -> [SQLValue] {
    types.enumerated().map { column, type in
      let values = rows.map { $0[column] }
      return switch type {
      case .integer: integers(values)
      case .text: texts(values)
      }
    }
  }
}
