import Foundation
import StratusSQLite
import StratusWire
import Testing

@testable import StratusDomain

/// Indexes that are filled in steps, on a real store.
@Suite struct IndexBuilding {
  private static let columns = [
    IndexColumn(.field("number")), IndexColumn(.field("tags"), .member),
  ]

  /// What a record of this number holds.
  private static func numbered(_ number: Int, change: Int64) -> StoredRecord {
    let fields = FieldsJSON([
      ("number", .int64(Int64(number))),
      ("tags", .list(.string, [.string("all"), .string("t\(number % 3)")])),
    ])
    return record("n-\(number)", change, fields.text)
  }

  private static func write(
    _ numbers: some Sequence<Int>, deleting: Set<Int> = [], to store: any Store
  ) async throws {
    let numbers = Array(numbers)
    try await store.write { (body) throws(ServerError) in
      var zone = try body.lockZone(named: "Notes", in: .public)
      if zone == nil { zone = try body.createZone(named: "Notes", in: .public) }
      guard let zone else { return }
      let old = try body.records(named: numbers.map { "n-\($0)" }, in: zone)
      let schema = try body.schema()
      var records: [StoredRecord] = []
      var rows = RowChanges()
      let first = try body.drawRecordNumbers(numbers.count)
      for number in numbers {
        var record = Self.numbered(number, change: zone.change + Int64(records.count) + 1)
        record.isDeleted = deleting.contains(number)
        record.number = old[record.name]?.number ?? first + Int64(records.count)
        try rows.note(record, replacing: old[record.name], schema: schema)
        records.append(record)
      }
      try body.apply(ChangeSet(zone: zone, records: records, rows: rows))
    }
  }

  private static func index(of store: any Store) async throws -> QueryIndex {
    try #require(
      try await store.read { (body) throws(ServerError) in
        try body.schema().indexes["Note"]?.first
      })
  }

  private static func entries(of store: any Store) async throws -> [FoundEntry] {
    let index = try await index(of: store)
    return try await store.read { (body) throws(ServerError) in
      try body.entries(
        in: EntryRange(index: index.id, lower: [], upper: nil), of: .public, limit: 10_000)
    }
  }

  /// The records that entries lead to.
  private static func names(
    of entries: [FoundEntry], in store: any Store
  ) async throws -> [String] {
    try await store.read { (body) throws(ServerError) in
      guard let zone = try body.zone(named: "Notes", in: .public) else { return [] }
      let records = try body.records(numbered: entries.map(\.record), in: zone)
      return entries.compactMap { records[$0.record]?.name }
    }
  }

  @Test func `a build that is cut off goes on where it stood, and misses nothing`() async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        try await store.write { (body) throws(ServerError) in
          try body.add(
            SchemaAddition(
              recordTypes: ["Note"],
              fields: [
                .init(recordType: "Note", name: "number", type: FieldType(.int64)),
                .init(
                  recordType: "Note", name: "tags", type: FieldType(.string, isList: true)),
              ]))
        }
        try await Self.write(0..<50, to: store)
        let builder = IndexBuilder(store: store, recordType: "Note", stepRows: 7)
        try await builder.add(SchemaAddition(), indexes: [Self.columns])
        let index = try await Self.index(of: store)
        #expect(!index.isReady)
        #expect(try await !builder.build([index.id], rowsMax: 14))
        #expect(try await Self.entries(of: store).count == 28)
      }
      // The server was killed; another one has the folder now.
      try await withStores(in: url, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        let index = try await Self.index(of: store)
        #expect(index.buildPlace != nil)
        #expect(!index.isReady)
        // Written while it is built: behind the place, before it, and new.
        try await Self.write([0, 3, 45, 49, 60], deleting: [3, 49], to: store)
        let builder = IndexBuilder(store: store, recordType: "Note", stepRows: 7)
        #expect(try await builder.build([index.id], rowsMax: 700))
        #expect(try await Self.index(of: store).isReady)
        let names = try await Self.names(of: Self.entries(of: store), in: store)
        let expected = (0..<50).filter { $0 != 3 && $0 != 49 } + [60]
        #expect(names.sorted() == expected.flatMap { ["n-\($0)", "n-\($0)"] }.sorted())
        // A second build of it changes nothing.
        #expect(try await builder.build([index.id], rowsMax: 7))
        #expect(try await Self.entries(of: store).count == names.count)
      }
    }
  }

  @Test func `two requests that want one index make one`() async throws {
    try await withStores { stores in
      let store = try await stores.store(at: development)
      let builder = IndexBuilder(store: store, recordType: "Note")
      for _ in 0..<2 {
        try await builder.add(SchemaAddition(), indexes: [Self.columns, Self.columns])
      }
      let count = try await store.read { (body) throws(ServerError) in
        try body.schema().indexes["Note"]?.count
      }
      #expect(count == 1)
    }
  }
}
