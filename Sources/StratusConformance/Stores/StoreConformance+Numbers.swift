import StratusDomain

/// Checks of record numbers, which index entries use to refer to records.
extension StoreConformance {
  /// Returns a record with the given record number.
  private static func record(_ name: String, _ number: Int64, change: Int64) -> StoredRecord {
    var record = Sample.record(name, change: change)
    record.number = number
    return record
  }

  /// The lookup ignores numbers of deleted records, numbers of records in other zones or databases,
  /// and unused numbers.
  static func numbersLeadToRecords(_ store: any Store) async throws {
    let numbers = try await store.write { (body) throws(ServerError) in
      var drawn: [Int64] = []
      for (zone, database) in [("A", Sample.ann), ("B", Sample.ann), ("A", Sample.bob)] {
        let zone = try body.someZone(zone, in: database)
        let first = try body.drawRecordNumbers(3)
        let names = ["x", "y", "z"]
        let records = names.indices.map {
          record(names[$0], first + Int64($0), change: Int64($0) + 1)
        }
        try body.apply(ChangeSet(zone: zone, records: records))
        drawn += records.map(\.number)
      }
      var gone = Sample.tombstone("y", change: 4)
      gone.number = drawn[1]
      try body.apply(ChangeSet(zone: try body.someZone("A"), records: [gone]))
      return drawn
    }
    try expect(Set(numbers).count, 9)
    let (found, none, named) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("A")
      return (
        try body.records(numbered: numbers + numbers + [.max, 0], in: zone),
        try body.records(numbered: [], in: zone),
        try body.records(named: ["x", "y", "z"], in: zone)
      )
    }
    try expect(found.mapValues(\.name), [numbers[0]: "x", numbers[2]: "z"])
    try expect(none.count, 0)
    try expect(named.values.map(\.number).sorted(), [numbers[0], numbers[2]])
  }

  /// The check saves the record again with its number and with the number 0 in the same
  /// transaction, and with its number in a later transaction.
  static func numbersAreKept(_ store: any Store) async throws {
    let first = try await store.write { (body) throws(ServerError) in
      let first = try body.drawRecordNumbers(1)
      for change in 1...3 as ClosedRange<Int64> {
        let again = record("r", change == 2 ? 0 : first, change: change)
        try body.apply(ChangeSet(zone: try body.someZone("A"), records: [again]))
      }
      return first
    }
    try await store.write { (body) throws(ServerError) in
      try body.apply(
        ChangeSet(zone: try body.someZone("A"), records: [record("r", first, change: 4)]))
    }
    let found = try await store.read { (body) throws(ServerError) in
      try body.records(numbered: [first], in: try body.existing("A"))
    }
    try expect(found.mapValues(\.change), [first: 4])
  }

  static func tombstonesGiveWay(_ store: any Store) async throws {
    try await store.save(["other", "r"], inZone: "A")
    let number = try await store.write { (body) throws(ServerError) in
      try body.delete("r", in: try body.existing("A"))
      let number = try body.drawRecordNumbers(2) + 1
      try body.apply(
        ChangeSet(zone: try body.existing("A"), records: [record("r", number, change: 4)]))
      return number
    }
    let (found, changes) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("A")
      return (try body.records(numbered: [number], in: zone), try body.changes(in: zone))
    }
    try expect(found.values.map(\.name), ["r"])
    try expect(changes.map(\.name), ["other", "r"])
    try expect(changes.map(\.number).max(), number)
  }

  /// The later write uses the change number of the failed write. It may get the same record number,
  /// but need not.
  static func undoneNumbersAreFree(_ store: any Store) async throws {
    try await store.save(["kept"], inZone: "A")
    _ = await store.failure { (body) throws(ServerError) in
      let first = try body.drawRecordNumbers(1)
      try body.apply(
        ChangeSet(zone: try body.existing("A"), records: [record("lost", first, change: 2)]))
      throw Sample.refusal
    }
    let number = try await store.write { (body) throws(ServerError) in
      let first = try body.drawRecordNumbers(1)
      try body.apply(
        ChangeSet(zone: try body.existing("A"), records: [record("found", first, change: 2)]))
      return first
    }
    let found = try await store.read { (body) throws(ServerError) in
      try body.records(numbered: [number], in: try body.existing("A"))
    }
    try expect(found.values.map(\.name), ["found"])
  }
}
