import StratusDomain
import StratusWire

extension StoreConformance {
  static let recordChecks: [Check] = [
    Check("a record is read back as it was written", recordsComeBack),
    Check("a lookup leaves out names without a record", missingRecordsAreLeftOut),
    Check("a save replaces the record with the same name", recordIsReplaced),
    Check("a deleted record is not found, and can be created again", deletedRecordIsGone),
    Check("the latest state of a deleted record is its tombstone", tombstonesAreFound),
    Check("a record that is read together with its zone is in its latest state", readAhead),
    Check("a change set advances its zone and stores its token", changeSetMovesZone),
    Check("an empty change set with a token only stores the token", emptySetStoresToken),
    Check("a record with an unusual name is found only under that name", unusualRecordNames),
    Check("fields of a megabyte are stored byte for byte", largeFieldsComeBack),
    Check("as many records as one request may have are written and found", manyRecords),
    Check("a record number identifies one live record of one zone", numbersLeadToRecords),
    Check("a record that is saved again keeps its number", numbersAreKept),
    Check("a record that replaces a tombstone gets the new number", tombstonesGiveWay),
    Check("after a failed write, a later write can draw record numbers", undoneNumbersAreFree),
  ]

  /// The lookup and the change feed return every property of the record.
  static func recordsComeBack(_ store: any Store) async throws {
    let full = StoredRecord(
      name: "full", type: "Note", change: 1, isDeleted: false,
      created: Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "phone"),
      modified: Stamp(timestamp: 1_700_000_000_123, userRecordName: "_bob", deviceID: "Ünïx"),
      parentRecordName: "mother",
      fields: FieldsJSON(text: Array(#"{"a":{"value":"ü\n","type":"STRING"}}"#.utf8)),
      hasAssets: true, revision: 1 << 40)
    let bare = StoredRecord(
      name: "bare", type: "Other", change: 2, isDeleted: false,
      created: Stamp(timestamp: -5, userRecordName: "", deviceID: ""),
      modified: Stamp(timestamp: .max, userRecordName: "", deviceID: ""),
      parentRecordName: nil, fields: .empty)
    try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      try body.apply(ChangeSet(zone: zone, records: [full, bare]))
    }
    let (found, changes) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return (
        try body.records(named: ["bare", "full"], in: zone), try body.changes(in: zone)
      )
    }
    try expect(found, [ExactName("full"): full, ExactName("bare"): bare])
    try expect(changes, [full, bare])
  }

  /// The body reads a record that exists, one that was deleted, one that never existed, and one of
  /// another zone. Then it changes the record between the lock and the read.
  static func readAhead(_ store: any Store) async throws {
    try await store.save(["kept", "gone"], inZone: "Notes")
    try await store.save(["other"], inZone: "Other")
    try await store.write { (body) throws(ServerError) in
      try body.delete("gone", in: try body.someZone("Notes"))
    }
    let (states, missing) = try await store.write { (body) throws(ServerError) in
      var states: [String] = []
      func read(_ name: String, changing change: StoredRecord? = nil) throws(ServerError) {
        guard let zone = try body.lockZone(named: "Notes", in: Sample.ann, beforeReading: name)
        else { throw .fault("a zone is missing") }
        guard try body.existing("Notes") == zone else { throw .fault("a zone differs") }
        if let change { try body.apply(ChangeSet(zone: zone, records: [change])) }
        let record = try body.latestStates(named: [name], in: zone)[name]
        states.append(
          record.map { "\($0.name) \($0.change) \($0.isDeleted)" } ?? "no record")
      }
      for name in ["kept", "gone", "never", "other"] { try read(name) }
      try read("kept", changing: Sample.record("kept", change: 4))
      try read("kept")
      let missing = try body.lockZone(named: "None", in: Sample.ann, beforeReading: "kept")
      return (states, missing)
    }
    try expect(
      states,
      ["kept 1 false", "gone 3 true", "no record", "no record", "kept 4 false", "kept 4 false"])
    try expect(missing, nil)
  }

  /// Any number of names can be looked up at once. A name that is given twice counts once.
  static func missingRecordsAreLeftOut(_ store: any Store) async throws {
    try await store.save(["one"], inZone: "Notes")
    try await store.save(["elsewhere"], inZone: "Other")
    let (none, one, several) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      let many = (0..<45).map { "missing \($0)" } + ["one", "one", "elsewhere"]
      return (
        try body.records(named: [], in: zone).keys.map(\.text).sorted(),
        try body.records(named: ["missing"], in: zone).keys.map(\.text).sorted(),
        try body.records(named: many, in: zone).keys.map(\.text).sorted()
      )
    }
    try expect(none, [])
    try expect(one, [])
    try expect(several, ["one"])
  }

  /// The save replaces everything, including the record type.
  static func recordIsReplaced(_ store: any Store) async throws {
    try await store.save(["one"], inZone: "Notes")
    var later = Sample.record("one", change: 2, text: #"{"a":{"value":2,"type":"INT64"}}"#)
    later.type = "Other"
    later.parentRecordName = "mother"
    let replacement = later
    let (found, changes) = try await store.write { (body) throws(ServerError) in
      try body.apply(ChangeSet(zone: try body.existing("Notes"), records: [replacement]))
      let zone = try body.existing("Notes")
      return (try body.records(named: ["one"], in: zone), try body.changes(in: zone))
    }
    try expect(found, [ExactName("one"): later])
    try expect(changes, [later])
  }

  /// The new record replaces the tombstone.
  static func deletedRecordIsGone(_ store: any Store) async throws {
    try await store.save(["one", "two"], inZone: "Notes")
    let found = try await store.write { (body) throws(ServerError) in
      try body.delete("one", in: try body.existing("Notes"))
      let zone = try body.existing("Notes")
      return [
        try body.records(named: ["one"], in: zone).keys.map(\.text).sorted(),
        try body.records(named: ["one", "two"], in: zone).keys.map(\.text).sorted(),
      ]
    }
    try expect(found, [[], ["two"]])
    try await store.save(["one"], inZone: "Notes")
    let again = try await store.read { (body) throws(ServerError) in
      try body.records(named: ["one"], in: try body.existing("Notes"))["one"]
    }
    try expect(again, Sample.record("one", change: 4))
  }

  /// The revision is stored with a new record, with a record that keeps its number, with a
  /// tombstone, and with a record that replaces the tombstone.
  static func tombstonesAreFound(_ store: any Store) async throws {
    try await store.save(["other"], inZone: "Notes")
    var found: [[StoredRecord]] = []
    for (index, names) in [["one"], ["one", "one", "two"], ["one"], ["two", "one"]].enumerated() {
      found.append(
        try await store.write { (body) throws(ServerError) in
          let zone = try body.existing("Notes")
          var record = Sample.record("one", change: zone.change + 1)
          record.isDeleted = index == 2
          record.revision = Int64(index + 7)
          record.number =
            if index == 0 || index == 3 {
              try body.drawRecordNumbers(1)
            } else {
              try body.latestStates(named: ["one"], in: zone)["one"]?.number ?? 0
            }
          try body.apply(ChangeSet(zone: zone, records: [record]))
          return Array(try body.latestStates(named: names, in: zone).values)
        })
    }
    try expect(found.map { $0.map(\.name) }, [["one"], ["one"], ["one"], ["one"]])
    try expect(found.map { $0.map(\.revision) }, [[7], [8], [9], [10]])
    try expect(found.map { $0.map(\.isDeleted) }, [[false], [false], [true], [false]])
  }

  /// A change set without a token keeps the existing token.
  static func changeSetMovesZone(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      let records = [Sample.record("one", change: 1), Sample.record("two", change: 2)]
      try body.apply(ChangeSet(zone: zone, records: records, clientChangeToken: "token"))
    }
    let first = try await store.read { (body) throws(ServerError) in try body.existing("Notes") }
    try expect(first.change, 2)
    try expect(first.clientChangeToken, "token")
    try await store.save(["three"], inZone: "Notes")
    let second = try await store.read { (body) throws(ServerError) in try body.existing("Notes") }
    try expect(second.change, 3)
    try expect(second.clientChangeToken, "token")
  }

  /// A change set that has only a token does not change the zone's newest change number or the
  /// history. A change set without records and without a token does nothing.
  static func emptySetStoresToken(_ store: any Store) async throws {
    try await store.save(["one"], inZone: "Notes")
    let (zone, latest) = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.apply(ChangeSet(zone: zone, records: [], clientChangeToken: "it's ü"))
      try body.apply(ChangeSet(zone: zone, records: []))
      return (try body.existing("Notes"), try body.latestZoneChange(in: Sample.ann))
    }
    try expect(zone.change, 1)
    try expect(zone.clientChangeToken, "it's ü")
    try expect(latest, 2)
  }

  /// The check looks up one name at a time, because both spellings of é would be the same key of a
  /// dictionary.
  static func unusualRecordNames(_ store: any Store) async throws {
    let names = unusualNames
    try await store.save(names, inZone: "Notes")
    let changes = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      var changes: [Int64?] = []
      for name in names {
        let found = try body.records(named: [name], in: zone)
        changes.append(found.count == 1 ? found[name]?.change : nil)
      }
      return changes
    }
    try expect(changes, names.indices.map { Int64($0 + 1) })
  }

  /// The fields are larger than a page of a database file can be.
  static func largeFieldsComeBack(_ store: any Store) async throws {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789é".utf8)
    let text = (0..<Limits.recordSizeBytesMax).map { letters[($0 &* 7) % letters.count] }
    var large = Sample.record("large", change: 1)
    large.fields = FieldsJSON(text: text)
    let record = large
    try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      try body.apply(ChangeSet(zone: zone, records: [record]))
    }
    let found = try await store.read { (body) throws(ServerError) in
      try body.records(named: ["large"], in: try body.existing("Notes"))["large"]
    }
    try expect(try expectSome(found).fields.text == text, true, "the same bytes")
  }

  /// The number of records is the maximum of one request.
  static func manyRecords(_ store: any Store) async throws {
    let names = (0..<Limits.operationsPerRequestMax).map { "record \($0)" }
    try await store.save(names, inZone: "Notes")
    let found = try await store.read { (body) throws(ServerError) in
      try body.records(named: names, in: try body.existing("Notes"))
    }
    let changes = Dictionary(
      uniqueKeysWithValues: names.enumerated().map { ($1, Int64($0 + 1)) })
    let foundChanges = Dictionary(
      uniqueKeysWithValues: found.map { ($0.key.text, $0.value.change) })
    try expect(foundChanges, changes)
  }
}
