import StratusDomain
import StratusSQL
import StratusWire
import Testing

@testable import StratusSQLite

/// The sample store has the epoch 42 and a zone "Notes".
@Suite struct `A store of layout 5` {
  private static let ann = DatabaseKey.private(owner: "_ann")

  private func withUpgradedStore(_ body: (any Store) async throws -> Void) async throws {
    try await withTemporaryFolder { url in
      try LayoutFive.make(in: url)
      for _ in 0..<2 {
        try await withStores(in: url, epoch: 7) { stores in
          try await body(try await stores.store(at: development))
        }
      }
    }
  }

  @Test
  func `an upgraded store has its histories and epochs, and shares nothing yet`() async throws {
    try await withUpgradedStore { store in
      let (zones, zone, epoch) = try await store.read { (body) throws(ServerError) in
        (
          try body.zoneChanges(in: Self.ann, after: 0, limit: 9),
          try body.zone(named: "Notes", in: Self.ann), try body.epoch(of: Self.ann)
        )
      }
      #expect(zones.map(\.name) == ["Notes", "Gone"])
      #expect(zones.map(\.isDeleted) == [false, true])
      #expect(zone?.hasHierarchies == false)
      #expect(epoch == 42)
    }
  }

  /// The store is opened twice. At the second opening, it contains the rows of the first opening.
  @Test func `an upgraded store can share a zone and its hierarchies`() async throws {
    try await withUpgradedStore { store in
      let (participation, roots, passages) = try await store.write { (body) throws(ServerError) in
        guard let zone = try body.lockZone(named: "Notes", in: Self.ann) else {
          throw .fault("no zone")
        }
        try body.addSharedRoot("root", in: zone)
        try body.join(zone, root: "root", permission: .read, user: "_bob")
        try body.apply(
          ChangeSet(
            zone: zone, records: [],
            passages: [
              Passage(
                change: zone.change + 1, recordName: "root", recordType: "Note", rootName: "root",
                kind: .joined, time: 1)
            ]))
        return (
          try body.participation(of: "_bob", in: zone),
          try body.sharedRoots(among: ["root"], in: zone),
          try body.passages(
            in: zone, ofHierarchies: ["root"], range: ChangeRange(after: 0, through: .max),
            newestFirst: false, limit: 9)
        )
      }
      #expect(participation?.number == 1)
      #expect(roots == [ExactName("root")])
      #expect(passages.map(\.recordName) == ["root"])
    }
  }
}
