import Foundation
import StoreTestSupport
import StratusDomain
import StratusSQL
import StratusWire
import Testing

@testable import StratusSQLite

/// Upgrades a store whose notification numbers counted the notifications of all users.
@Suite("A store of layout 12") struct NumberUpgradeTests {
  /// The SQL that turns a current store into a store of layout 12, except for the number of the
  /// layout.
  static let older = """
    ALTER TABLE records DROP COLUMN revision;
    ALTER TABLE record_versions DROP COLUMN revision;
    ALTER TABLE outbox_records DROP COLUMN revision;
    ALTER TABLE zones DROP COLUMN incarnation;
    DROP INDEX notifications_owner;
    ALTER TABLE notifications DROP COLUMN user_number;
    CREATE INDEX notifications_owner ON notifications (owner, number);
    ALTER TABLE notification_users DROP COLUMN newest;
    ALTER TABLE notification_count DROP COLUMN base;

    """

  private static func enqueue(
    _ users: [String], in store: any StoreWriting
  ) throws(ServerError) {
    try store.enqueue(
      users.map { user in
        NewNotification(
          user: user,
          payload: NotificationPayload(
            containerIdentifier: "c", notificationID: "n", userRecordName: user,
            event: .database(subscriptionID: "s", .private)), createdAt: 1)
      })
  }

  private static func numbers(
    of user: String, in store: any StoreReading
  ) throws(ServerError) -> [Int64] {
    try store.notifications(of: user, after: 0, limit: 99, sizeBytesMax: .max).map(\.number)
  }

  private static func numbers(
    afterEnqueuing users: [String], in stores: SQLiteStores
  ) async throws -> [[Int64]] {
    try await stores.store(at: development).write { (body) throws(ServerError) in
      try enqueue(users, in: body)
      return [
        try numbers(of: "_ann", in: body), try numbers(of: "_bob", in: body),
        try numbers(of: "_cleo", in: body),
      ]
    }
  }

  private func withUpgradedStore(
    _ before: (SQLiteStores) async throws -> Void, _ after: (SQLiteStores) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 7) { try await before($0) }
      let path = url.appendingPathComponent("iCloud.org.example/development.sqlite").path
      try SQLiteShell(path: path).write(Self.older + "UPDATE store SET layout = 12;")
      try await withStores(in: url, epoch: 7) { try await after($0) }
    }
  }

  @Test func `each user's notification numbers continue after the numbers that devices have seen`()
    async throws
  {
    try await withUpgradedStore {
      _ = try await Self.numbers(afterEnqueuing: ["_ann", "_bob", "_ann"], in: $0)
    } _: { stores in
      let store = try await stores.store(at: development)
      let first = try await store.read { (body) throws(ServerError) in
        (
          try Self.numbers(of: "_ann", in: body), try Self.numbers(of: "_bob", in: body),
          try body.queueEnd(of: "_cleo")
        )
      }
      // The earlier layout numbered the notifications of the whole store.
      let base = first.2.number
      #expect(first.0 == [base - 2, base])
      #expect(first.1 == [base - 1])
      #expect(first.2.storeNumber == base)
      let later = try await Self.numbers(
        afterEnqueuing: ["_ann", "_cleo", "_ann", "_bob"], in: stores)
      #expect(later[0].suffix(2) == [base + 1, base + 2])
      #expect(later[1].suffix(1) == [base + 1])
      #expect(later[2] == [base + 1])
    }
  }

  @Test func `records keep their change tags, and zones their incarnations`() async throws {
    let ann = DatabaseKey.private(owner: "_ann")
    try await withUpgradedStore { stores in
      try await stores.store(at: development).write { (body) throws(ServerError) in
        let zone = try body.createZone(named: "Notes", in: ann)
        var record = record("a", 12, [])
        record.revision = 77
        try body.apply(ChangeSet(zone: zone, records: [record]))
      }
    } _: { stores in
      let (zone, found, other) = try await stores.store(at: development).write {
        (body) throws(ServerError) in
        let zone = try body.lockZone(named: "Notes", in: ann)
        let found = try zone.map { (zone) throws(ServerError) in
          try body.records(named: ["a"], in: zone)
        }
        return (zone, found?["a"], try body.createZone(named: "Other", in: ann))
      }
      #expect(zone?.incarnation == zone?.id)
      #expect(other.incarnation < 0)
      #expect(found?.revision == 0)
      // The tag begins with the change number 12 in base 36.
      #expect(found?.tag.first == "c")
    }
  }
}
