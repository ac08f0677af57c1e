import StratusSQLite
import StratusWire
import Synchronization
import Testing

@testable import StratusDomain

/// A store whose writes fail after their bodies have run, as in a crash just before the commit.
private final class FailingStore: Store {
  private let store: any Store
  private let left: Mutex<Int>

  /// - Parameter successes: the number of writes that succeed before the first failure.
  init(_ store: any Store, successes: Int) {
    self.store = store
    left = Mutex(successes)
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await store.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    let fails = left.withLock { left in
      left -= 1
      return left < 0
    }
    return try await store.write { (store) throws(ServerError) in
      let value = try body(store)
      if fails { throw .fault("the server was killed") }
      return value
    }
  }
}

/// Kills the server at each step of copies and removals of fields and record types.
@Suite struct KilledRetirements {
  private static let ambient = Ambient(now: { 1_000 }, makeUUID: { "U" })

  /// Saves 12 records: three in each of two zones of each of two databases.
  private static func fill(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.add(
        SchemaAddition(
          recordTypes: ["Note"],
          fields: ["old", "new", "text"].map {
            .init(
              recordType: "Note", name: $0, type: FieldType(.string), indexes: [.queryable])
          }))
      _ = try body.addIndex(recordType: "Note", columns: [IndexColumn(.field("old"))])
      for database in [DatabaseKey.public, .private(owner: "_u")] {
        for name in ["_defaultZone", "Notes"] {
          guard let zone = try? body.createZone(named: name, in: database) else { continue }
          let first = try body.drawRecordNumbers(3)
          var rows = RowChanges()
          var records: [StoredRecord] = []
          for number in 0..<3 {
            var new = record(
              "n-\(number)", Int64(number) + 1,
              FieldsJSON([("old", .string("v\(number)")), ("text", .string("t"))]).text)
            new.number = first + Int64(number)
            try rows.note(new, replacing: nil, schema: try body.schema())
            records.append(new)
          }
          try body.apply(ChangeSet(zone: zone, records: records, rows: rows))
        }
      }
    }
  }

  /// Returns a text for each record that is not deleted. The text contains the numbers of the
  /// record's database and zone, and the record's name, change number and fields.
  private static func contents(of store: any Store) async throws -> [String] {
    try await store.read { (body) throws(ServerError) in
      let step = try body.recordsToIndex(ofType: "Note", after: nil, limit: 1_000)
      return step.items.map {
        "\($0.database) \($0.zone) \($0.record.name) \($0.record.change) "
          + String(decoding: $0.record.fields.text, as: UTF8.self)
      }
    }
  }

  private static func entryCount(of store: any Store) async throws -> Int {
    try await store.read { (body) throws(ServerError) in
      var count = 0
      for database in [DatabaseKey.public, .private(owner: "_u")] {
        for index in 1...3 {
          count += try body.entries(
            in: EntryRange(index: Int64(index), lower: [], upper: nil), of: database, limit: 100
          ).count
        }
      }
      return count
    }
  }

  enum Work: String, CaseIterable, Sendable { case copy, removeField, removeType }

  private static func begin(_ work: Work, in store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      switch work {
      case .copy:
        try body.set(
          Retirement(
            SchemaPlace("Note", "old"), phase: .reported, successor: "new", isCopied: false,
            since: 0))
      case .removeField: try body.beginRemoval(of: SchemaPlace("Note", "old"), now: 0)
      case .removeType: try body.beginRemoval(of: SchemaPlace("Note"), now: 0)
      }
    }
  }

  @Test(arguments: Work.allCases)
  func `schema work that is killed at each step has the same result as uninterrupted work`(
    _ work: Work
  )
    async throws
  {
    var expected: [String] = []
    var expectedSchema = Schema()
    try await withStores { stores in
      let store = try await stores.store(at: development)
      try await Self.fill(store)
      try await Self.begin(work, in: store)
      let retirements = ContinueRetirements(store: store, ambient: Self.ambient)
      while try await retirements.step(limit: 2) {}
      expected = try await Self.contents(of: store)
      expectedSchema = try await store.read { (body) throws(ServerError) in try body.schema() }
      switch work {
      case .copy: #expect(expected.allSatisfy { $0.contains("\"new\":{\"value\":\"v") })
      case .removeField:
        #expect(expected.allSatisfy { !$0.contains("old") } && expected.count == 12)
      case .removeType: #expect(expected.isEmpty)
      }
      #expect(expectedSchema.retirements.values.allSatisfy { !$0.hasWork })
    }
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        try await Self.fill(store)
        try await Self.begin(work, in: store)
      }
      var isDone = false
      var kills = 0
      while !isDone {
        // Each server completes one step and is killed in the next one. Then another server
        // continues.
        try await withStores(in: url, epoch: 7) { stores in
          let store = FailingStore(try await stores.store(at: development), successes: 1)
          let retirements = ContinueRetirements(store: store, ambient: Self.ambient)
          do {
            while try await retirements.step(limit: 2) {}
            isDone = true
          } catch {
            kills += 1
          }
        }
      }
      #expect(kills >= 5)
      try await withStores(in: url, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        #expect(try await Self.contents(of: store) == expected)
        let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
        #expect(schema == expectedSchema)
        if work != .copy {
          try await store.write { (body) throws(ServerError) in
            while try body.hasDroppedIndexes() { try body.removeDroppedEntries(limit: 10) }
          }
          #expect(try await Self.entryCount(of: store) == 0)
        }
      }
    }
  }
}
