import StoreTestSupport
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// Checks how many SQL statements a save needs. In layout 4 of the store, which did not count
/// bytes, a save needed the same number.
@Suite struct `A save` {
  private static let ann = DatabaseKey.private(owner: "_ann")

  /// Saves new records with the same calls as a handler.
  private func save(
    _ count: Int, of type: String = "Note", on session: StoreSession
  ) throws {
    session.begin()
    let zone = try #require(try session.lockZone(named: "Notes", in: Self.ann))
    let names = (1...count).map { "r\(zone.change + Int64($0))" }
    _ = try session.records(named: names, in: zone)
    _ = try session.schema()
    _ = try session.watchForWriting(of: Self.ann)
    let first = try session.drawRecordNumbers(count)
    var records: [StoredRecord] = []
    for (place, name) in names.enumerated() {
      var new = record(name, zone.change + Int64(place) + 1, Array("{}".utf8))
      new.number = first + Int64(place)
      records.append(new)
    }
    var rows = RowChanges()
    rows.usage[type] = Usage(records: Int64(count), recordBytes: 9)
    try session.apply(ChangeSet(zone: zone, records: records, rows: rows))
    _ = try session.epoch(of: Self.ann)
  }

  @Test func `a save of one record takes seven statements`() throws {
    try withCountedSession { session, connection in
      _ = try session.createZone(named: "Notes", in: Self.ann)
      try save(1, on: session)
      _ = connection.take()
      try save(1, on: session)
      #expect(
        connection.take() == [
          "SELECT zones.zone, zones.change,", "SELECT name, type,", "SELECT schema_version FROM",
          "INSERT INTO records", "UPDATE zones SET", "UPDATE databases SET",
          "UPDATE listings SET",
        ])
    }
  }

  /// One statement looks up twenty records.
  @Test func `a save of 200 records takes 215 statements, and every fifth save takes 217`() throws {
    try withCountedSession { session, connection in
      _ = try session.createZone(named: "Notes", in: Self.ann)
      try save(200, on: session)
      _ = connection.take()
      var counts: [Int] = []
      for _ in 0..<5 {
        try save(200, on: session)
        counts.append(connection.take().count)
      }
      #expect(counts == [215, 215, 215, 215, 217])
    }
  }

  /// The roles of all users are part of the schema, whose version each save reads anyway.
  @Test func `a save takes no more statements in a store where users have roles`() throws {
    try withCountedSession { session, connection in
      _ = try session.createZone(named: "Notes", in: Self.ann)
      try session.set(customRoles: ["Editor"])
      _ = try session.set(roles: ["Editor"], ofUser: "_bob")
      try save(1, on: session)
      _ = connection.take()
      try save(1, on: session)
      #expect(connection.take().count == 7)
      session.begin()
      let schema = try session.schema()
      #expect(schema.rolesOfUsers == ["_bob": ["Editor"]])
      #expect(connection.take() == ["SELECT schema_version FROM"])
    }
  }

  /// A store that keeps no versions needs no statement for them (see the first test).
  @Test func `a save takes four more statements in a store that keeps versions`() throws {
    try withCountedSession { session, connection in
      _ = try session.createZone(named: "Notes", in: Self.ann)
      var settings = ContainerSettings()
      settings.versionDays = 7
      try session.set(settings)
      try save(1, on: session)
      _ = connection.take()
      try save(1, on: session)
      #expect(
        connection.take() == [
          "SELECT zones.zone, zones.change,", "SELECT name, type,", "SELECT schema_version FROM",
          "SELECT replaced_at FROM", "SELECT name, type,", "INSERT INTO record_versions",
          "UPDATE zones SET", "INSERT INTO records", "UPDATE zones SET", "UPDATE databases SET",
          "UPDATE listings SET",
        ])
    }
  }

  /// The text in the column `recent_usage` of a zone has at most 512 bytes.
  @Test func `a save moves the counted bytes to their table if a zone has many record types`()
    throws
  {
    try withCountedSession { session, connection in
      _ = try session.createZone(named: "Notes", in: Self.ann)
      var moved = 0
      for number in 1...40 {
        _ = connection.take()
        try save(1, of: "TypeWithALongName\(number)", on: session)
        moved += connection.take().filter { $0 == "INSERT INTO usage" }.count
      }
      #expect((20..<40).contains(moved))
      session.begin()
      let usage = try session.usage(of: Self.ann)
      #expect(usage.count == 40)
      #expect(usage.allSatisfy { $0.usage == Usage(records: 1, recordBytes: 9) })
      #expect(try session.usedBytes(of: Self.ann) == 360)
    }
  }

  @Test func `after a refused save, the next save runs the usual statements`() throws {
    try withCountedSession { session, connection in
      _ = try session.createZone(named: "Notes", in: Self.ann)
      try session.add(SchemaAddition(recordTypes: ["Note"]))
      try save(1, on: session)
      _ = connection.take()
      try save(1, on: session)
      let usual = connection.take()
      session.forget()
      try save(1, on: session)
      #expect(connection.take() == usual)
    }
  }
}
