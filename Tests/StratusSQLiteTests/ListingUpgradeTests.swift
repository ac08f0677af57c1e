import StratusDomain
import StratusSQL
import StratusWire
import Testing

@testable import StratusSQLite

/// The sample store has the epoch 42, a zone "Notes" and a deleted zone "Gone".
@Suite struct `A store of layout 4` {
  private static let ann = DatabaseKey.private(owner: "_ann")

  private func withUpgradedStore(_ body: (any Store) async throws -> Void) async throws {
    try await withTemporaryFolder { url in
      try LayoutFour.make(in: url)
      for _ in 0..<2 {
        try await withStores(in: url, epoch: 7) { stores in
          try await body(try await stores.store(at: development))
        }
      }
    }
  }

  @Test func `an upgraded store has its histories and the epoch of every database`() async throws {
    try await withUpgradedStore { store in
      let (changes, latest, epochs) = try await store.read { (body) throws(ServerError) in
        (
          try body.zoneChanges(in: Self.ann, after: 0, limit: 9),
          try body.latestZoneChange(in: Self.ann),
          [
            try body.epoch(of: Self.ann), try body.epoch(of: DatabaseKey.public),
            try body.epoch(of: .private(owner: "_nobody")),
            try body.epoch(of: .shared(user: "_ann")),
          ]
        )
      }
      #expect(changes.map(\.name) == ["Notes", "Gone"])
      #expect(changes.map(\.isDeleted) == [false, true])
      #expect(changes.map(\.change).last == latest)
      #expect(epochs == [42, 42, 42, 42])
    }
  }

  /// The store is opened twice. At the second opening, it already has today's layout.
  @Test func `an upgraded store continues its histories with unused change numbers`() async throws {
    try await withUpgradedStore { store in
      let (before, after, zone, numbers) = try await store.write { (body) throws(ServerError) in
        let before = try body.latestZoneChange(in: Self.ann)
        guard let zone = try body.lockZone(named: "Notes", in: Self.ann) else {
          throw .fault("no zone")
        }
        var new = record("new \(zone.change)", zone.change + 1, Array("{}".utf8))
        new.number = try body.drawRecordNumbers(1)
        try body.apply(ChangeSet(zone: zone, records: [new]))
        guard let changed = try body.zone(named: "Notes", in: Self.ann) else {
          throw .fault("no zone")
        }
        let records = try body.recordChanges(
          in: changed, range: ChangeRange(after: 0, through: .max), newestFirst: false,
          limit: 99, sizeBytesMax: .max)
        return (
          before, try body.zoneChanges(in: Self.ann, after: before, limit: 9), changed,
          records.map(\.number)
        )
      }
      #expect(after.map(\.change) == [before + 1])
      #expect(after.map(\.incarnation) == [zone.incarnation])
      #expect(Set(numbers).count == numbers.count)
    }
  }
}
