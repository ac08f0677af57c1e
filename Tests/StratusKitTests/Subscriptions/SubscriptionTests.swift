import CloudKit
import Foundation
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite final class Subscriptions: Sendable {
  private let server = FakeServer()
  private let sent = Mutex<[ModifySubscriptions.Operation]>([])

  /// Makes the server accept every request, except for subscriptions with the ID `bad`.
  private func acceptAll() {
    server.on(ModifySubscriptions.self) { [self] request in
      sent.withLock { $0 += request.operations }
      return ListSubscriptions.Response(
        subscriptions: request.operations.map { operation in
          switch operation {
          case .save(let subscription) where subscription.id == "bad":
            .failure(id: "bad", refusal(.badRequest))
          case .save(let subscription): .subscription(subscription)
          case .delete(let id) where id == "bad": .failure(id: id, refusal(.notFound))
          case .delete(let id): .deleted(id: id)
          }
        })
    }
  }

  private var saved: [Subscription] {
    sent.withLock { operations in
      operations.compactMap { if case .save(let subscription) = $0 { subscription } else { nil } }
    }
  }

  private func query(
    _ id: String = "q", _ predicate: NSPredicate = NSPredicate(value: true),
    options: CKQuerySubscription.Options = [.firesOnRecordCreation]
  ) -> CKQuerySubscription {
    CKQuerySubscription(
      recordType: "Note", predicate: predicate, subscriptionID: id, options: options)
  }

  @Test func `a query subscription is sent with its filters`() async throws {
    acceptAll()
    let subscription = query(
      "q", NSPredicate(format: "title == %@ AND count > 3", "x"),
      options: [.firesOnRecordUpdate, .firesOnRecordDeletion, .firesOnce])
    subscription.zoneID = zoneZ
    let info = CKSubscription.NotificationInfo(alertBody: "B", desiredKeys: ["title"])
    info.shouldBadge = true
    subscription.notificationInfo = info
    info.alertBody = "changed later"
    let answer = try await server.database.save(subscription)
    #expect(answer.subscriptionID == "q")
    #expect((answer as? CKQuerySubscription)?.zoneID == zoneZ)
    let wire = try #require(saved.first)
    guard case .query(let watched) = wire.subject else {
      Issue.record("\(wire)")
      return
    }
    let expected = Query(
      recordType: "Note",
      filters: [
        .field(FieldFilter(.equals, QueryKey(field: "title"), .string("x"))),
        .field(FieldFilter(.greaterThan, QueryKey(field: "count"), .int64(3))),
      ])
    // The sent query was decoded from JSON, so the expected query must be decoded, too.
    #expect(try watched.query == Query(jsonBytes: expected.jsonBytes))
    #expect(watched.zoneID == ZoneID(zoneName: "Z"))
    #expect(watched.firesOn == [.update, .delete])
    #expect(watched.firesOnce)
    #expect(wire.notificationInfo?.alertBody == "B")
    #expect(wire.notificationInfo?.additionalFields == ["title"])
    #expect(wire.notificationInfo?.shouldBadge == true)
  }

  @Test func `zone and database subscriptions are sent with their record type`() async throws {
    acceptAll()
    let zone = CKRecordZoneSubscription(zoneID: zoneZ, subscriptionID: "z")
    zone.recordType = "Note"
    let all = CKDatabaseSubscription(subscriptionID: "d")
    let results = try await server.database.modifySubscriptions(
      saving: [zone, all], deleting: ["old", "bad"])
    #expect(
      saved == [
        Subscription(id: "z", .zone(ZoneID(zoneName: "Z"), recordType: "Note")),
        Subscription(id: "d", .database(recordType: nil)),
      ])
    #expect(Set(results.saveResults.keys) == ["z", "d"])
    #expect(code(results.deleteResults["bad"]) == .unknownItem)
    #expect(code(results.deleteResults["old"]) == nil)
    #expect(server.calls.map(\.path) == ["private/subscriptions/modify"])
  }

  @Test func `generated subscription IDs are unique`() {
    let predicate = NSPredicate(value: true)
    let ids = [
      CKDatabaseSubscription().subscriptionID, CKDatabaseSubscription().subscriptionID,
      CKRecordZoneSubscription(zoneID: zoneZ).subscriptionID,
      CKQuerySubscription(recordType: "Note", predicate: predicate).subscriptionID,
    ]
    #expect(Set(ids).count == 4)
    let defaults = CKQuerySubscription(
      recordType: "Note", predicate: predicate, subscriptionID: "q")
    #expect(defaults.querySubscriptionOptions.rawValue == 7)
    #expect(defaults.subscriptionType.rawValue == 1)
    #expect(CKRecordZoneSubscription(zoneID: zoneZ).subscriptionType.rawValue == 2)
    #expect(CKDatabaseSubscription().subscriptionType.rawValue == 3)
  }

  @Test func `invalid subscriptions are refused on the device, item by item`() async throws {
    acceptAll()
    let results = try await server.database.modifySubscriptions(
      saving: [
        query("none", options: [.firesOnce]), query("fine"),
        query("block", NSPredicate(block: { _, _ in true })),
        query("format", NSPredicate(format: "title ==")),
      ], deleting: [])
    #expect(code(results.saveResults["none"]) == .invalidArguments)
    #expect(code(results.saveResults["block"]) == .invalidArguments)
    #expect(code(results.saveResults["format"]) == .invalidArguments)
    #expect(code(results.saveResults["fine"]) == nil)
    #expect(saved.map(\.id) == ["fine"])
    await #expect(throws: CKError.self) { try await server.database.save(query(options: [])) }
    #expect(server.calls.count == 1)
  }

  @Test func `an operation that contains a subscription ID twice is refused`() async throws {
    acceptAll()
    do {
      _ = try await server.database.modifySubscriptions(saving: [query("a")], deleting: ["a"])
      Issue.record("the operation must be refused")
    } catch {
      #expect(code(error) == .invalidArguments)
    }
    #expect(server.calls.isEmpty)
  }

  @Test
  func `the legacy block for subscriptions gets partial failures, but the modern block does not`()
    async throws
  {
    acceptAll()
    let journal = Journal()
    let old = CKModifySubscriptionsOperation(
      subscriptionsToSave: [query("a"), query("bad")], subscriptionIDsToDelete: ["c"])
    old.perSubscriptionSaveBlock = { id, result in
      journal.note("save \(id) \(code(result)?.rawValue ?? 0)")
    }
    old.perSubscriptionDeleteBlock = { id, result in
      journal.note("delete \(id) \(code(result)?.rawValue ?? 0)")
    }
    old.modifySubscriptionsCompletionBlock = { saved, deleted, error in
      let items = (error as? CKError)?.partialErrorsByItemID?.keys.map { "\($0)" } ?? []
      journal.note("\(saved?.map(\.subscriptionID) ?? []) \(deleted ?? []) \(items)")
    }
    await server.database.run(old)
    #expect(
      journal.all == [
        "save a 0", "save bad 12", "delete c 0", #"["a"] ["c"] ["bad"]"#,
      ])
    let new = CKModifySubscriptionsOperation(subscriptionsToSave: [query("bad")])
    new.modifySubscriptionsResultBlock = { journal.note("result \(code($0)?.rawValue ?? 0)") }
    new.modifySubscriptionsCompletionBlock = { _, _, _ in journal.note("suppressed") }
    await server.database.run(new)
    #expect(journal.all.last == "result 0")
    #expect(!journal.all.contains("suppressed"))
  }

  @Test func `a failed request makes the whole subscription operation fail`() async throws {
    server.on(ModifySubscriptions.self) { _ in throw refusal(.authenticationRequired) }
    let journal = Journal()
    let operation = CKModifySubscriptionsOperation(subscriptionsToSave: [query("a")])
    operation.modifySubscriptionsCompletionBlock = { saved, deleted, error in
      journal.note("\(saved == nil) \(deleted == nil) \(code(error) == .notAuthenticated)")
    }
    await server.database.run(operation)
    #expect(journal.all == ["true true true"])
  }

  @Test func `an answer that does not match the subscription request is refused`() async throws {
    server.on(ModifySubscriptions.self) { _ in ListSubscriptions.Response(subscriptions: []) }
    server.on(LookupSubscriptions.self) { _ in ListSubscriptions.Response(subscriptions: []) }
    do {
      try await server.database.save(query())
      Issue.record("the answer must be refused")
    } catch {
      #expect(code(error) == .internalError)
    }
    do {
      _ = try await server.database.subscription(for: "q")
      Issue.record("the answer must be refused")
    } catch {
      #expect(code(error) == .internalError)
    }
  }

  @Test func `fetched subscriptions have the class that belongs to their type`() async throws {
    let info = StratusWire.NotificationInfo()
    let stored: [SubscriptionItem] = [
      .subscription(
        Subscription(
          id: "q",
          .query(
            WatchedQuery(
              query: Query(
                recordType: "Note",
                filters: [.field(FieldFilter(.equals, QueryKey(field: "f"), .int64(1)))]),
              zoneID: ZoneID(zoneName: "Z", ownerRecordName: FakeServer.userName),
              firesOn: [.create, .delete], firesOnce: true)), notificationInfo: info)),
      .subscription(Subscription(id: "z", .zone(ZoneID(zoneName: "Z"), recordType: "Note"))),
      .subscription(Subscription(id: "d", .database(recordType: nil))),
    ]
    server.on(ListSubscriptions.self) { _ in ListSubscriptions.Response(subscriptions: stored) }
    let all = try await server.database.allSubscriptions()
    #expect(all.map(\.subscriptionID) == ["q", "z", "d"])
    let query = try #require(all[0] as? CKQuerySubscription)
    #expect(query.recordType == "Note")
    #expect(query.predicate.description == "f == 1")
    #expect(query.zoneID == zoneZ)
    #expect(
      query.querySubscriptionOptions
        == [.firesOnRecordCreation, .firesOnRecordDeletion, .firesOnce])
    #expect(query.notificationInfo != nil)
    let zone = try #require(all[1] as? CKRecordZoneSubscription)
    #expect(zone.zoneID == zoneZ)
    #expect(zone.recordType == "Note")
    #expect(zone.notificationInfo == nil)
    #expect(all[2] is CKDatabaseSubscription)
  }

  @Test
  func `a fetch of subscriptions by ID returns a result or an error for each ID`() async throws {
    server.on(LookupSubscriptions.self) { request in
      ListSubscriptions.Response(
        subscriptions: request.ids.map { id in
          id == "gone"
            ? .failure(id: id, refusal(.notFound))
            : .subscription(Subscription(id: id, .database(recordType: nil)))
        })
    }
    let database = server.database
    let results = try await database.subscriptions(for: ["a", "gone", "a"])
    #expect(results.count == 2)
    #expect(try results["a"]?.get().subscriptionID == "a")
    #expect(code(results["gone"]) == .unknownItem)
    #expect(try await database.subscription(for: "b").subscriptionID == "b")
    let old = CKFetchSubscriptionsOperation(subscriptionIDs: ["a", "gone"])
    let journal = Journal()
    old.fetchSubscriptionCompletionBlock = { found, error in
      journal.note("\(found?.keys.sorted() ?? []) \(code(error) == .partialFailure)")
    }
    await database.run(old)
    #expect(journal.all == [#"["a"] true"#])
  }

  @Test func `copies of subscriptions are independent`() throws {
    let original = query("q", NSPredicate(format: "f == 1"))
    original.notificationInfo = CKSubscription.NotificationInfo(alertBody: "A")
    let copy = try #require(original.copy() as? CKQuerySubscription)
    copy.zoneID = zoneZ
    copy.notificationInfo?.alertBody = "B"
    #expect(original.zoneID == nil)
    #expect(original.notificationInfo?.alertBody == "A")
    #expect(copy.notificationInfo?.alertBody == "B")
    #expect(copy.predicate == original.predicate)
    let zone = CKRecordZoneSubscription(zoneID: zoneZ, subscriptionID: "z")
    (zone.copy() as? CKRecordZoneSubscription)?.recordType = "Note"
    #expect(zone.recordType == nil)
  }

  @Test func `subscriptions with equal values are equal`() {
    func full() -> CKQuerySubscription {
      let subscription = query("q", NSPredicate(format: "f == %@ AND g > 2", "x"))
      subscription.zoneID = zoneZ
      subscription.notificationInfo = CKSubscription.NotificationInfo(
        alertBody: "A", desiredKeys: ["k"])
      return subscription
    }
    #expect(full() == full())
    #expect(full().hash == full().hash)
    #expect(Set([full(), full()]).count == 1)
    #expect(full().copy() as? CKSubscription == full())
    let changes: [(CKQuerySubscription) -> Void] = [
      { $0.zoneID = nil }, { $0.notificationInfo = nil },
      { $0.notificationInfo?.alertBody = "B" },
    ]
    for change in changes {
      let other = full()
      change(other)
      #expect(other != full())
    }
    #expect(query("a") != query("b"))
    #expect(query("q", NSPredicate(format: "f == 1")) != query("q", NSPredicate(format: "f == 2")))
    #expect(query("q", NSPredicate(format: "f == 1")) == query("q", NSPredicate(format: "f == 1")))
    #expect(query("q", options: .firesOnRecordDeletion) != query("q"))
    let block = NSPredicate { _, _ in true }
    let otherBlock = NSPredicate { _, _ in false }
    #expect(query("q", block) != query("q", otherBlock))
  }

  @Test func `subscriptions of different classes, zones or record types are not equal`() {
    let zone = CKRecordZoneSubscription(zoneID: zoneZ, subscriptionID: "s")
    #expect(zone == CKRecordZoneSubscription(zoneID: zoneZ, subscriptionID: "s"))
    let otherZone = CKRecordZone.default().zoneID
    #expect(zone != CKRecordZoneSubscription(zoneID: otherZone, subscriptionID: "s"))
    let typed = CKRecordZoneSubscription(zoneID: zoneZ, subscriptionID: "s")
    typed.recordType = "Note"
    #expect(zone != typed)
    let database = CKDatabaseSubscription(subscriptionID: "s")
    #expect(database == CKDatabaseSubscription(subscriptionID: "s"))
    #expect(database as CKSubscription != zone as CKSubscription)
    let ofType = CKDatabaseSubscription(subscriptionID: "s")
    ofType.recordType = "Note"
    #expect(database != ofType)
  }

  @Test func `notification infos with equal values are equal`() {
    let one = CKSubscription.NotificationInfo(alertBody: "A", shouldBadge: true)
    let two = CKSubscription.NotificationInfo(alertBody: "A", shouldBadge: true)
    #expect(one == two)
    #expect(one.hash == two.hash)
    two.shouldBadge = false
    #expect(one != two)
  }

  @Test func `subscriptions can be archived`() throws {
    func roundTrip<Value: CKSubscription>(_ value: Value) throws -> Value {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: value, requiringSecureCoding: true)
      return try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
    }
    let query = query(
      "q", NSPredicate(format: "f == 1"), options: [.firesOnRecordDeletion, .firesOnce])
    query.zoneID = zoneZ
    query.notificationInfo = CKSubscription.NotificationInfo(
      alertBody: "A", titleLocalizationArgs: ["t"], shouldSendMutableContent: true)
    let read = try roundTrip(query)
    #expect(read.subscriptionID == "q")
    #expect(read.recordType == "Note")
    #expect(read.predicate.description == "f == 1")
    #expect(read.zoneID == zoneZ)
    #expect(read.querySubscriptionOptions.rawValue == 12)
    #expect(read.notificationInfo?.alertBody == "A")
    #expect(read.notificationInfo?.titleLocalizationArgs == ["t"])
    #expect(read.notificationInfo?.shouldSendMutableContent == true)
    let zone = CKRecordZoneSubscription(zoneID: zoneZ, subscriptionID: "z")
    zone.recordType = "Note"
    #expect(try roundTrip(zone).zoneID == zoneZ)
    #expect(try roundTrip(zone).recordType == "Note")
    #expect(try roundTrip(CKDatabaseSubscription(subscriptionID: "d")).subscriptionID == "d")
    let data = try NSKeyedArchiver.archivedData(withRootObject: zone, requiringSecureCoding: true)
    let anyKind = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKSubscription.self, from: data)
    #expect(anyKind is CKRecordZoneSubscription)
  }
}
