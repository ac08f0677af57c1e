import Foundation
import StratusSQLite
import StratusWire
import Testing

@testable import StratusDomain

/// Ends an index build at random points, as a killed server would, and continues it with another
/// server. Records change meanwhile.
///
/// The variable `STRATUS_INDEX_ROWS` sets the number of records, and `STRATUS_SEED` sets the seed.
/// `scripts/soak` runs the test with a million records.
@Suite struct KilledIndexBuilds {
  private static let variables = ProcessInfo.processInfo.environment
  private static let rows = variables["STRATUS_INDEX_ROWS"].flatMap { Int($0) } ?? 4_000
  private static let seed = variables["STRATUS_SEED"].flatMap { UInt64($0) } ?? 20_261_123
  private static let values = 50

  /// Saves records with new values.
  private static func save(
    _ numbers: [Int], values: [Int], to store: any Store
  ) async throws {
    try await store.write { (body) throws(ServerError) in
      var zone = try body.lockZone(named: "Notes", in: .public)
      if zone == nil { zone = try body.createZone(named: "Notes", in: .public) }
      guard let zone else { return }
      let old = try body.records(named: numbers.map { "n-\($0)" }, in: zone)
      let schema = try body.schema()
      let first = try body.drawRecordNumbers(numbers.count)
      var records: [StoredRecord] = []
      var rows = RowChanges()
      for (number, value) in zip(numbers, values) {
        let change = zone.change + Int64(records.count) + 1
        var new = record(
          "n-\(number)", change, FieldsJSON([("number", .int64(Int64(value)))]).text)
        new.number = old[new.name]?.number ?? first + Int64(records.count)
        try rows.note(new, replacing: old[new.name], schema: schema)
        records.append(new)
      }
      try body.apply(ChangeSet(zone: zone, records: records, rows: rows))
    }
  }

  /// Returns the number of index entries for each value.
  private static func counts(of index: Int64, in store: any Store) async throws -> [Int] {
    var counts: [Int] = []
    for value in 0..<values {
      let bytes = ColumnBytes.of(Scalar(.int64(Int64(value))))
      let next = ColumnBytes.of(Scalar(.int64(Int64(value + 1))))
      counts.append(
        try await store.read { (body) throws(ServerError) in
          try body.entries(
            in: EntryRange(index: index, lower: bytes, upper: next), of: .public,
            limit: rows + 1
          ).count
        })
    }
    return counts
  }

  @Test
  func `an index whose build is killed at random points finally has exactly the right entries`()
    async throws
  {
    var chance = BuildChance(state: Self.seed)
    var model = (0..<Self.rows).map { _ in Int.random(in: 0..<Self.values, using: &chance) }
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        try await store.write { (body) throws(ServerError) in
          try body.add(
            SchemaAddition(
              recordTypes: ["Note"],
              fields: [.init(recordType: "Note", name: "number", type: FieldType(.int64))]))
        }
        for start in stride(from: 0, to: Self.rows, by: 500) {
          let numbers = Array(start..<min(start + 500, Self.rows))
          try await Self.save(numbers, values: numbers.map { model[$0] }, to: store)
        }
        _ = try await store.write { (body) throws(ServerError) in
          try body.addIndex(recordType: "Note", columns: [IndexColumn(.field("number"))])
        }
      }
      var kills = 0
      var isReady = false
      while !isReady {
        try await withStores(in: url, epoch: 7) { stores in
          let store = try await stores.store(at: development)
          let index = try #require(
            try await store.read { (body) throws(ServerError) in
              try body.schema().indexes["Note"]?.first
            })
          // Changes records before the build continues. The build has read some of them already.
          let changed = (0..<20).map { _ in Int.random(in: 0..<Self.rows, using: &chance) }
          let numbers = Array(Set(changed)).sorted()
          for number in numbers {
            model[number] = Int.random(in: 0..<Self.values, using: &chance)
          }
          try await Self.save(numbers, values: numbers.map { model[$0] }, to: store)
          let builder = IndexBuilder(
            store: store, recordType: "Note", queue: IndexBuildQueue(),
            key: IndexBuildQueue.Key(store: development, recordType: "Note"),
            stepRows: max(1, Self.rows / 40))
          isReady = try await builder.build(
            [index.id], rowsMax: Int.random(in: 1...max(2, Self.rows / 10), using: &chance))
          if isReady {
            let expected = (0..<Self.values).map { value in model.count { $0 == value } }
            let found = try await Self.counts(of: index.id, in: store)
            #expect(found == expected, "seed \(Self.seed), \(kills) kills")
          } else {
            kills += 1
          }
        }
      }
      #expect(kills >= 5, "seed \(Self.seed): the build was killed only \(kills) times")
    }
  }
}

/// A random number generator with a seed (SplitMix64). A failure can be reproduced with the seed.
private struct BuildChance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
