import Foundation
import StoreTestSupport
import StratusDomain
import StratusSQL
import StratusWire
import Testing

@testable import StratusSQLite

@Suite struct `A store of layout 1` {
  private static let ann = DatabaseKey.private(owner: "_ann")
  private static let bob = DatabaseKey.private(owner: "_bob")

  /// Opens a store of layout 1 twice. At the second opening, it has today's layout.
  private func withUpgradedStore(_ body: (any Store) async throws -> Void) async throws {
    try await withTemporaryFolder { url in
      try LayoutOne.make(in: url)
      for _ in 0..<2 {
        try await withStores(in: url, epoch: 7) { stores in
          try await body(try await stores.store(at: development))
        }
      }
    }
  }

  @Test func `a store upgraded from layout 1 has its records, zones and epoch`() async throws {
    try await withUpgradedStore { store in
      let (zone, epoch, records, changes) = try await store.read { (body) throws(ServerError) in
        let zone = try body.zone(named: "Notes", in: Self.ann)
        guard let zone else { throw .fault("no zone") }
        return (
          zone, try body.epoch(of: Self.ann),
          try body.records(named: ["root", "child", "gone"], in: zone),
          try body.recordChanges(
            in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: false, limit: 99,
            sizeBytesMax: .max)
        )
      }
      #expect(
        zone
          == StoredZone(
            id: 1, database: Self.ann, name: "Notes", change: 5, clientChangeToken: "token"))
      #expect(epoch == 42)
      #expect(changes.map(\.name) == ["root", "child", "friend", "gone"])
      #expect(changes.map(\.isDeleted) == [false, false, false, true])
      #expect(
        records["root"]
          == StoredRecord(
            name: "root", type: "Note", change: 1, isDeleted: false,
            created: Stamp(timestamp: 10, userRecordName: "_ann", deviceID: "a"),
            modified: Stamp(timestamp: 11, userRecordName: "_ann", deviceID: "b"),
            parentRecordName: nil,
            fields: FieldsJSON(text: Array(#"{"title":{"value":"Root","type":"STRING"}}"#.utf8))))
      #expect(records.count == 2)
    }
  }

  @Test func `a store upgraded from layout 1 has the references of its records`() async throws {
    try await withUpgradedStore { store in
      let found = try await store.read { (body) throws(ServerError) in
        guard let ann = try body.zone(named: "Notes", in: Self.ann),
          let bob = try body.zone(named: "Notes", in: Self.bob)
        else { throw .fault("no zone") }
        let targets = ["root", "child", "friend", "gone", "r0001", "mother"]
        return [
          try body.links(.deleteSelf, to: targets, in: ann, limit: 10_000),
          try body.links(.parent, to: targets, in: ann, limit: 10_000),
          try body.links(.deleteSelf, to: targets, in: bob, limit: 10_000),
          try body.links(.parent, to: targets, in: bob, limit: 10_000),
        ]
      }
      #expect(found[0].map(\.source) == ["child", "friend"])
      #expect(found[0].map(\.target) == ["root", "root"])
      #expect(found[1] == [RecordLink(kind: .parent, target: "root", source: "child")])
      let names = (1...2_500).map { "r" + String(String(10_000 + $0).dropFirst()) }
      #expect(found[2].map(\.source) == names)
      #expect(found[3].map(\.source) == names)
      #expect(Set(found[3].map(\.target)) == ["mother"])
    }
  }

  @Test
  func `a store upgraded from layout 1 has all index marks that its field types allow`()
    async throws
  {
    try await withUpgradedStore { store in
      let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
      let expected = RecordType(
        name: "Note",
        fields: [
          "title": FieldDefinition(
            type: FieldType(.string), indexes: [.queryable, .sortable, .searchable]),
          "owner": FieldDefinition(type: FieldType(.reference), indexes: .queryable),
          "friends": FieldDefinition(
            type: FieldType(.reference, isList: true), indexes: .queryable),
          "data": FieldDefinition(type: FieldType(.bytes)),
        ])
      #expect(schema.recordTypes == ["Note": expected])
      #expect(schema.indexes == [:])
      #expect(schema.settings == ContainerSettings())
    }
  }

  @Test
  func `a store upgraded from layout 1 supports indexes, assets and the purge of zones`()
    async throws
  {
    try await withTemporaryFolder { url in
      try LayoutOne.make(in: url)
      try await withStores(in: url, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        let index = try await store.write { (body) throws(ServerError) in
          try body.addIndex(recordType: "Note", columns: [IndexColumn(.field("title"))])
        }
        let (number, entries, steps) = try await store.write { (body) throws(ServerError) in
          guard let zone = try body.lockZone(named: "Notes", in: Self.ann) else {
            throw .fault("no zone")
          }
          var rows = RowChanges()
          let number = try body.drawRecordNumbers(1)
          rows.added.entries = [IndexEntry(index: index.id, value: [1], record: number)]
          var new = record("new", 6, Array("{}".utf8))
          new.hasAssets = true
          new.number = number
          try body.apply(ChangeSet(zone: zone, records: [new], rows: rows))
          let range = EntryRange(index: index.id, lower: [], upper: nil)
          let step = try body.recordsToIndex(ofType: "Note", after: nil, limit: 10_000)
          return (number, try body.entries(in: range, of: Self.ann, limit: 9), step.items)
        }
        #expect(entries == [FoundEntry(value: [1], zone: 1, record: number)])
        #expect(steps.count == 2_504)
        #expect(steps.filter(\.record.hasAssets).map(\.record.name) == ["new"])
        while try await PurgeZones(
          store: store, ambient: Ambient(now: { 0 }, makeUUID: { "A" })
        ).step(limit: 10) {}
      }
    }
  }

  /// The upgrade fails because of an unknown field type. Any other error has the same effect.
  @Test func `a store is unchanged if its upgrade fails`() async throws {
    try await withTemporaryFolder { url in
      try LayoutOne.make(in: url, changes: "UPDATE fields SET type = 'TUNE' WHERE name = 'data';")
      try await withStores(in: url, epoch: 7) { stores in
        await #expect(throws: ServerError.self) { try await stores.store(at: development) }
      }
      let path = url.appendingPathComponent("iCloud.org.example/development.sqlite").path
      let file = try SQLiteShell(path: path)
      #expect(try file.integers("SELECT layout FROM store") == [1])
      let tables = try file.texts(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%links%'")
      #expect(tables == [])
    }
  }
}

@Suite struct `A store of layout 2` {
  private static let ann = DatabaseKey.private(owner: "_ann")
  private static let bob = DatabaseKey.private(owner: "_bob")

  /// Opens a store of layout 2 twice. At the second opening, it has today's layout.
  private func withUpgradedStore(_ body: (any Store) async throws -> Void) async throws {
    try await withTemporaryFolder { url in
      try LayoutTwo.make(in: url)
      for _ in 0..<2 {
        try await withStores(in: url, epoch: 7) { stores in
          try await body(try await stores.store(at: development))
        }
      }
    }
  }

  @Test func `a store upgraded from layout 2 has its records, tombstones and links`() async throws {
    try await withUpgradedStore { store in
      let (changes, links) = try await store.read { (body) throws(ServerError) in
        guard let zone = try body.zone(named: "Notes", in: Self.ann) else {
          throw .fault("no zone")
        }
        return (
          try body.recordChanges(
            in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: false, limit: 99,
            sizeBytesMax: .max),
          try body.links(.deleteSelf, to: ["root"], in: zone, limit: 9)
        )
      }
      #expect(changes.map(\.name) == ["root", "child", "friend", "gone"])
      #expect(changes.map(\.isDeleted) == [false, false, false, true])
      #expect(Set(changes.map(\.number)).count == 4)
      #expect(links.map(\.source) == ["child", "friend"])
    }
  }

  @Test
  func `a store upgraded from layout 2 finds its records by its earlier index entries`()
    async throws
  {
    try await withUpgradedStore { store in
      let (ann, bob, building) = try await store.read { (body) throws(ServerError) in
        func names(_ index: Int64, _ database: DatabaseKey) throws(ServerError) -> [String] {
          guard let zone = try body.zone(named: "Notes", in: database) else { return [] }
          let range = EntryRange(index: index, lower: [], upper: nil)
          let entries = try body.entries(in: range, of: database, limit: 9_999)
            .filter { $0.zone == zone.id }
          let records = try body.records(numbered: entries.map(\.record), in: zone)
          return entries.compactMap { records[$0.record]?.name }
        }
        return (try names(1, Self.ann), try names(1, Self.bob), try names(2, Self.ann))
      }
      #expect(ann.prefix(2).sorted() == ["child", "friend"])
      #expect(ann.dropFirst(2) == ["root"])
      #expect(bob.count == 2_500)
      #expect(Set(bob).count == 2_500)
      #expect(building == ["friend"])
      let (schema, builds) = try await store.read { (body) throws(ServerError) in
        (try body.schema(), try body.indexBuilds(ofType: "Note"))
      }
      let indexes = try #require(schema.indexes["Note"])
      #expect(indexes.map(\.isReady) == [true, false])
      let place = IndexBuildCursor(database: 1, zone: 1, recordName: "friend")
      #expect(builds == [IndexBuild(index: indexes[1].id, cursor: place)])
    }
  }
}
