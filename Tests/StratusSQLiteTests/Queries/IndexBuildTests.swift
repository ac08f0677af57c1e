import Foundation
import StratusSQLite
import StratusWire
import Synchronization
import Testing

@testable import StratusDomain

/// Builds indexes in steps, in a real store.
@Suite struct IndexBuilding {
  private static let columns = [
    IndexColumn(.field("number")), IndexColumn(.field("tags"), .member),
  ]

  /// Returns the record `n-NAME`. Its field values are computed from `number`.
  private static func numbered(_ number: Int, named name: Int, change: Int64) -> StoredRecord {
    let fields = FieldsJSON([
      ("number", .int64(Int64(number))),
      ("tags", .list(.string, [.string("all"), .string("t\(number % 3)")])),
    ])
    return record("n-\(name)", change, fields.text)
  }

  /// Saves or deletes records.
  ///
  /// - Parameter shift: is added to the number in a record's name. The values of the record are
  ///   computed from the sum.
  private static func write(
    _ numbers: some Sequence<Int>, shift: Int = 0, deleting: Set<Int> = [],
    to store: any Store
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
        let change = zone.change + Int64(records.count) + 1
        var record = Self.numbered(number + shift, named: number, change: change)
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

  /// The names of the records that the entries belong to.
  private static func names(
    of entries: [FoundEntry], in store: any Store
  ) async throws -> [String] {
    try await store.read { (body) throws(ServerError) in
      guard let zone = try body.zone(named: "Notes", in: .public) else { return [] }
      let records = try body.records(numbered: entries.map(\.record), in: zone)
      return entries.compactMap { records[$0.record]?.name }
    }
  }

  /// Otherwise a pause would follow each transaction of a build for an expensive query.
  @Test func `the writes of an index build are the server's own work`() async throws {
    try await withStores { stores in
      let store = OriginStore(try await stores.store(at: development))
      try await store.write { (body) throws(ServerError) in
        try body.add(
          SchemaAddition(
            recordTypes: ["Note"],
            fields: [
              .init(recordType: "Note", name: "number", type: FieldType(.int64)),
              .init(recordType: "Note", name: "tags", type: FieldType(.string, isList: true)),
            ]))
      }
      try await Self.write(0..<10, to: store)
      let builder = IndexBuilder(of: store, stepRows: 7)
      try await builder.add(SchemaAddition(), indexes: [Self.columns])
      let index = try await Self.index(of: store)
      store.forget()
      let query = WriteOrigin(caller: "_ann", isExpensive: true)
      let isReady = try await query.perform { () async throws(ServerError) in
        try await builder.build([index.id], rowsMax: 100)
      }
      #expect(isReady)
      #expect(!store.origins.isEmpty)
      #expect(store.origins.allSatisfy { $0 == nil })
    }
  }

  @Test
  func `an interrupted index build continues at its position and misses no record`() async throws {
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
        let builder = IndexBuilder(of: store, stepRows: 7)
        try await builder.add(SchemaAddition(), indexes: [Self.columns])
        let index = try await Self.index(of: store)
        #expect(!index.isReady)
        #expect(try await !builder.build([index.id], rowsMax: 14))
        #expect(try await Self.entries(of: store).count == 28)
      }
      // The build was interrupted, as in a killed server. Another server now uses the folder.
      try await withStores(in: url, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        let index = try await Self.index(of: store)
        let builds = try await store.read { (body) throws(ServerError) in
          try body.indexBuilds(ofType: "Note")
        }
        #expect(builds.map(\.index) == [index.id])
        #expect(builds.allSatisfy { $0.cursor != nil })
        #expect(!index.isReady)
        // The build has read some of these records before the interruption, and reads the others
        // later. One record is new.
        try await Self.write([0, 3, 45, 49, 60], deleting: [3, 49], to: store)
        let builder = IndexBuilder(of: store, stepRows: 7)
        #expect(try await builder.build([index.id], rowsMax: 700))
        #expect(try await Self.index(of: store).isReady)
        let names = try await Self.names(of: Self.entries(of: store), in: store)
        let expected = (0..<50).filter { $0 != 3 && $0 != 49 } + [60]
        #expect(names.sorted() == expected.flatMap { ["n-\($0)", "n-\($0)"] }.sorted())
        // The index is complete, so a second build changes nothing.
        #expect(try await builder.build([index.id], rowsMax: 7))
        #expect(try await Self.entries(of: store).count == names.count)
      }
    }
  }

  @Test func `several requests for the same index create one index`() async throws {
    try await withStores { stores in
      let store = try await stores.store(at: development)
      let builder = IndexBuilder(of: store)
      for _ in 0..<2 {
        try await builder.add(SchemaAddition(), indexes: [Self.columns, Self.columns])
      }
      let count = try await store.read { (body) throws(ServerError) in
        try body.schema().indexes["Note"]?.count
      }
      #expect(count == 1)
    }
  }

  /// Checks that each index of the type has exactly the entries of the records' current state.
  private static func expectWhole(_ store: any Store) async throws {
    let (found, expected) = try await store.read { (body) throws(ServerError) in
      let schema = try body.schema()
      let builds = try body.indexBuilds(ofType: "Note")
      var found: Set<IndexEntry> = []
      var expected: Set<IndexEntry> = []
      for index in schema.indexes["Note"] ?? [] {
        for entry in try body.entries(
          in: EntryRange(index: index.id, lower: [], upper: nil), of: .public, limit: 10_000)
        {
          found.insert(
            IndexEntry(index: index.id, value: entry.value, record: entry.record))
        }
      }
      let step = try body.recordsToIndex(ofType: "Note", after: nil, limit: 10_000)
      for item in step.items {
        expected.formUnion(try DerivedRows(of: item.record, schema: schema).entries)
      }
      return (builds.isEmpty ? found : [], expected)
    }
    #expect(found == expected)
    #expect(!expected.isEmpty)
  }

  private static func addType(to store: any Store, indexes: [[IndexColumn]]) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.add(
        SchemaAddition(
          recordTypes: ["Note"],
          fields: [
            .init(recordType: "Note", name: "number", type: FieldType(.int64)),
            .init(recordType: "Note", name: "tags", type: FieldType(.string, isList: true)),
          ]))
      for columns in indexes { _ = try body.addIndex(recordType: "Note", columns: columns) }
    }
  }

  private static let two = [[columns[0]], columns]

  @Test
  func `an index contains changes made between the read and the write of a build step`()
    async throws
  {
    try await withStores { stores in
      let store = try await stores.store(at: development)
      try await Self.addType(to: store, indexes: [])
      try await Self.write(0..<30, to: store)
      try await store.write { (body) throws(ServerError) in
        for columns in Self.two { _ = try body.addIndex(recordType: "Note", columns: columns) }
      }
      let builder = IndexBuilder(of: store, stepRows: 4)
      let ids = try await store.read { (body) throws(ServerError) in
        try body.indexBuilds(ofType: "Note").map(\.index)
      }
      while let chunk = try await IndexChunk.read(
        for: ids, by: builder, rowsMax: 20, sizeBytesMax: .max)
      {
        // Writes some records that the step has read, and some that it has not read.
        try await Self.write([2, 3, 28, 29, 40], shift: 100, deleting: [3, 29], to: store)
        try await chunk.write(to: store)
        try await Self.write([2, 3, 5], shift: 200, to: store)
      }
      try await Self.expectWhole(store)
    }
  }

  @Test func `a zone that is deleted during an index build leaves no entries`() async throws {
    try await withStores { stores in
      let store = try await stores.store(at: development)
      try await Self.addType(to: store, indexes: [])
      try await Self.write(0..<5, to: store)
      try await store.write { (body) throws(ServerError) in
        _ = try body.addIndex(recordType: "Note", columns: Self.columns)
      }
      let index = try await Self.index(of: store)
      let read = try await IndexChunk.read(
        for: [index.id], by: IndexBuilder(of: store), rowsMax: 20, sizeBytesMax: .max)
      let chunk = try #require(read)
      try await store.write { (body) throws(ServerError) in
        guard let zone = try body.lockZone(named: "Notes", in: .public) else { return }
        try body.deleteZone(zone, reason: .deleted, at: 0)
      }
      try await chunk.write(to: store)
      #expect(try await Self.entries(of: store).isEmpty)
      #expect(try await Self.index(of: store).isReady)
    }
  }

  @Test
  func `a cancelled index build leaves no entries, and a waiting query is refused`() async throws {
    try await withStores { stores in
      let store = try await stores.store(at: development)
      try await Self.addType(to: store, indexes: [])
      try await Self.write(0..<30, to: store)
      let builder = IndexBuilder(of: store, stepRows: 4)
      try await builder.add(SchemaAddition(), indexes: [Self.columns])
      let index = try await Self.index(of: store)
      #expect(try await !builder.build([index.id], rowsMax: 8))
      let progress = try await store.read { (body) throws(ServerError) in
        try body.indexProgress(of: index.id, limit: 20)
      }
      #expect(progress?.done == 8 && progress?.total == 20)
      let read = try await IndexChunk.read(
        for: [index.id], by: builder, rowsMax: 8, sizeBytesMax: .max)
      let chunk = try #require(read)
      try await store.write { (body) throws(ServerError) in
        try body.cancelIndexBuild(index.id)
        while try body.hasDroppedIndexes() { try body.removeDroppedEntries(limit: 7) }
      }
      // The builder writes a step that it read before the cancellation, and a writer changes a
      // record.
      try await chunk.write(to: store)
      try await Self.write([2, 40], shift: 100, to: store)
      let error = await #expect(throws: ServerError.self) {
        try await builder.build([index.id], rowsMax: 8)
      }
      #expect(error?.reason == Reason.indexBuildCancelled)
      let (left, known) = try await store.read { (body) throws(ServerError) in
        let entries = try body.entries(
          in: EntryRange(index: index.id, lower: [], upper: nil), of: .public, limit: 100)
        return (entries.count, try body.schema().indexes["Note"] ?? [])
      }
      #expect(left == 0 && known == [])
    }
  }

  @Test
  func `the build of a later index catches up with an earlier build, and both continue together`()
    async throws
  {
    try await withStores { stores in
      let store = try await stores.store(at: development)
      try await Self.addType(to: store, indexes: [])
      try await Self.write(0..<50, to: store)
      let builder = IndexBuilder(of: store, stepRows: 6)
      try await builder.add(SchemaAddition(), indexes: [Self.two[0]])
      let first = try await Self.index(of: store)
      #expect(try await !builder.build([first.id], rowsMax: 12))
      try await builder.add(SchemaAddition(), indexes: [Self.two[1]])
      var ids = try await Self.waiting(store)
      #expect(ids.count == 2)
      // The second build is behind the first build. The last separate step of the second build ends
      // at the position of the first build.
      for _ in 0..<2 {
        let read = try await IndexChunk.read(
          for: ids, by: builder, rowsMax: 7, sizeBytesMax: .max)
        let chunk = try #require(read)
        #expect(chunk.indexes.map(\.columns) == [Self.two[1]])
        try await chunk.write(to: store)
      }
      let read = try await IndexChunk.read(
        for: ids, by: builder, rowsMax: 100, sizeBytesMax: .max)
      let chunk = try #require(read)
      #expect(chunk.indexes.map(\.columns) == Self.two)
      try await chunk.write(to: store)
      ids = try await Self.waiting(store)
      #expect(ids == [])
      try await Self.expectWhole(store)
    }
  }

  private static func waiting(_ store: any Store) async throws -> [Int64] {
    try await store.read { (body) throws(ServerError) in
      try body.indexBuilds(ofType: "Note").map(\.index)
    }
  }

  @Test func `a slow index build does not undo the progress of another process`() async throws {
    try await withStores { stores in
      let store = try await stores.store(at: development)
      try await Self.addType(to: store, indexes: [])
      try await Self.write(0..<20, to: store)
      try await store.write { (body) throws(ServerError) in
        _ = try body.addIndex(recordType: "Note", columns: Self.columns)
      }
      let index = try await Self.index(of: store)
      let read = try await IndexChunk.read(
        for: [index.id], by: IndexBuilder(of: store), rowsMax: 5, sizeBytesMax: .max)
      let slow = try #require(read)
      #expect(try await IndexBuilder(of: store).build([index.id], rowsMax: 1_000))
      try await slow.write(to: store)
      #expect(try await Self.index(of: store).isReady)
      try await Self.expectWhole(store)
    }
  }
}

extension IndexBuilder {
  fileprivate init(of store: any Store, stepRows: Int = 1_000) {
    self.init(
      store: store, recordType: "Note", queue: IndexBuildQueue(),
      key: IndexBuildQueue.Key(store: development, recordType: "Note"), stepRows: stepRows)
  }
}

/// A store that notes the origin of each write.
private final class OriginStore: Store {
  private let store: any Store
  private let noted = Mutex<[WriteOrigin?]>([])

  init(_ store: any Store) { self.store = store }

  /// The origins of the writes since the last call of ``forget()``.
  var origins: [WriteOrigin?] { noted.withLock { $0 } }

  func forget() { noted.withLock { $0 = [] } }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await store.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    noted.withLock { $0.append(WriteOrigin.current) }
    return try await store.write(body)
  }
}
