import Foundation
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQLite

@Suite struct `Subscriptions in a store of an earlier version` {
  @Test(arguments: [1, 2])
  func `an upgraded store supports subscriptions and has none at first`(_ layout: Int) async throws
  {
    let ann = DatabaseKey.private(owner: "_ann")
    try await withTemporaryFolder { url in
      if layout == 1 { try LayoutOne.make(in: url) } else { try LayoutTwo.make(in: url) }
      for round in 0..<2 {
        try await withStores(in: url, epoch: 7) { stores in
          let store = try await stores.store(at: development)
          let (subscriptions, entries, watch) = try await store.read { (body) throws(ServerError) in
            (
              try body.subscriptions(of: "_ann", in: .private(user: "_ann"), limit: 9).count,
              try body.outboxEntries(limit: 9).count, try body.watch(of: ann)
            )
          }
          #expect(subscriptions == round)
          #expect(entries == round)
          #expect(watch.watchesDatabase == (round == 1))
          try await store.write { (body) throws(ServerError) in
            let zone = try body.createZone(named: "Made in round \(round)", in: ann)
            try body.save(
              Subscription(id: "s", .database(recordType: nil)), of: "_ann",
              in: .private(user: "_ann"), under: .database)
            let record = record("r", 1, Array("{}".utf8))
            let word = WatchedChange(
              zone: zone,
              event: .recordsChanged(ChangeRange(after: 0, through: 1), recordTypes: []),
              origin: ChangeOrigin(user: "_ann", deviceID: nil, notificationID: "n", time: 1),
              images: [RecordImage(before: nil, after: record)])
            try body.apply(ChangeSet(zone: zone, records: [record], watched: word))
          }
        }
      }
    }
  }
}
