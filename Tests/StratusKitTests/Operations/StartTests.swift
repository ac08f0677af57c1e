import Foundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

/// An operation class, with functions that make, observe and change an operation of this class.
struct OperationFamily: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable () -> CKOperation
  /// Sets every block of the operation to a closure that records a text.
  let listen: @Sendable (CKOperation, @escaping @Sendable (String) -> Void) -> Void
  /// Sets every property that is not a block to another value.
  let change: @Sendable (CKOperation) -> Void

  init<Operation: CKOperation>(
    _ type: Operation.Type, _ make: @escaping @Sendable () -> Operation,
    listen: @escaping @Sendable (Operation, @escaping @Sendable (String) -> Void) -> Void,
    change: @escaping @Sendable (Operation) -> Void
  ) {
    testDescription = "\(type)"
    self.make = make
    self.listen = { operation, note in
      if let operation = operation as? Operation { listen(operation, note) }
    }
    self.change = { operation in
      if let operation = operation as? Operation { change(operation) }
    }
  }
}

/// A server that answers only after the test has changed the operation that sent the request.
private final class Stage: Sendable {
  let server = FakeServer()
  let journal = Journal()
  private let isAsked = Gate()
  private let mayAnswer = Gate()

  init() {
    hold(
      FetchCaller.self,
      FetchCaller.Response(user: UserIdentity(userRecordName: FakeServer.userName)))
    hold(SetBadge.self, EmptyRequest())
    hold(IssueWebToken.self, IssueWebToken.Response(webAuthToken: "w"))
    server.on(DiscoverUsers.self) { request in
      DiscoverUsers.Response(
        users: (request.lookups ?? []).map { UserIdentity(userRecordName: "_u", lookup: $0) })
    }
    let share = ShareResult.share(WireShares.resolved(ShortGUID(value: "G")))
    hold(ResolveShares.self, ResolveShares.Response(results: [share]))
    hold(AcceptShares.self, AcceptShares.Response(results: [share]))
    hold(
      RequestShareAccess.self,
      RequestShareAccess.Response(results: [.init(shortGUID: ShortGUID(value: "G"))]))
    hold(MarkNotificationsRead.self, MarkNotificationsRead.Request(ids: ["a"]))
    hold(
      FetchNotifications.self,
      FetchNotifications.Response(
        notifications: [], readIDs: ["a"], serverChangeToken: "t", moreComing: false))
    server.on(ModifyRecords.self, accepted)
    server.on(LookupRecords.self) { request in
      RecordsResponse(records: request.items.map { .record(stored($0.recordName)) })
    }
    server.on(QueryRecords.self) { _ in
      QueryRecords.Response(records: [.record(stored("a"))], continuationMarker: nil)
    }
    server.on(FetchDatabaseChanges.self) { _ in
      FetchDatabaseChanges.Response(
        zones: [ZoneDictionary(zoneID: ZoneID(zoneName: "Z"))], syncToken: "t", moreComing: false)
    }
    server.on(FetchZoneChanges.self) { request in
      FetchZoneChanges.Response(
        zones: request.zones.map { item in
          .changes(
            ZoneChanges(
              zoneID: item.zoneID, records: [.record(stored("a"))], syncToken: "t",
              moreComing: false))
        })
    }
    server.on(LookupZones.self) { request in
      ListZones.Response(zones: request.zones.map { .zone(ZoneDictionary(zoneID: $0)) })
    }
    server.on(ModifyZones.self) { request in
      ListZones.Response(
        zones: request.operations.map { .zone(ZoneDictionary(zoneID: $0.zoneID)) })
    }
    server.on(LookupSubscriptions.self) { request in
      ListSubscriptions.Response(
        subscriptions: request.ids.map {
          .subscription(Subscription(id: $0, .database(recordType: nil)))
        })
    }
    server.on(ModifySubscriptions.self) { request in
      ListSubscriptions.Response(
        subscriptions: request.operations.map { operation in
          switch operation {
          case .save(let subscription): .subscription(subscription)
          case .delete(let id): .deleted(id: id)
          }
        })
    }
  }

  private func hold<E: Endpoint>(_ endpoint: E.Type, _ answer: E.Response) {
    server.onRaw(E.path) { [isAsked, mayAnswer] (_) async throws(NetworkFailure) in
      isAsked.open()
      await mayAnswer.pass()
      return HTTPResponse(status: 200, body: answer.jsonBytes)
    }
  }

  /// Runs an operation and changes it after its first request.
  func run(_ operation: CKOperation, change: () -> Void) async {
    let isOver = Gate()
    operation.completionBlock = { isOver.open() }
    let container = server.container()
    if let operation = operation as? CKDatabaseOperation {
      container.privateCloudDatabase.add(operation)
    } else {
      container.add(operation)
    }
    await isAsked.pass()
    change()
    mayAnswer.open()
    await isOver.pass()
  }
}

@Suite struct `An operation that has started` {
  @Test(arguments: OperationFamilies.all)
  func `a started operation uses the properties that it had at its start`(_ family: OperationFamily)
    async
  {
    let (untouched, changed) = (Stage(), Stage())
    let first = family.make()
    family.listen(first) { [journal = untouched.journal] in journal.note($0) }
    await untouched.run(first) {}

    let second = family.make()
    family.listen(second) { [journal = changed.journal] in journal.note($0) }
    await changed.run(second) {
      family.change(second)
      family.listen(second) { [journal = changed.journal] in journal.note("changed: " + $0) }
    }
    #expect(untouched.server.calls.count + untouched.server.callerCalls > 0)
    #expect(changed.server.calls.map(\.path) == untouched.server.calls.map(\.path))
    #expect(changed.server.calls.map(\.body) == untouched.server.calls.map(\.body))
    #expect(!untouched.journal.all.isEmpty)
    #expect(changed.journal.all == untouched.journal.all)
  }

  @Test(arguments: OperationFamilies.all)
  func `a started operation returns the values that the app has set since the start`(
    _ family: OperationFamily
  ) async {
    let stage = Stage()
    let operation = family.make()
    await stage.run(operation) {
      operation.configuration.timeoutIntervalForRequest = 7
      operation.group = CKOperationGroup()
    }
    #expect(operation.timeoutIntervalForRequest == 7)
    #expect(operation.group != nil)
  }

  @Test
  func `a started operation keeps its database and configuration if the app changes them`() async {
    let stage = Stage()
    let other = FakeServer()
    let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
    operation.configuration.timeoutIntervalForRequest = 11
    await stage.run(operation) {
      operation.database = other.container().publicCloudDatabase
      operation.configuration.timeoutIntervalForRequest = 7
    }
    #expect(stage.server.calls.map(\.path) == ["private/records/lookup"])
    #expect(stage.server.calls.map(\.timeoutSeconds) == [11])
    #expect(other.calls.isEmpty)
  }

  @Test func `many threads can change a started operation at the same time`() async {
    let stage = Stage()
    let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
    operation.modifyRecordsResultBlock = { [journal = stage.journal] _ in journal.note("end") }
    await stage.run(operation) {
      DispatchQueue.concurrentPerform(iterations: 64) { number in
        operation.recordsToSave = (0..<number % 4).map { note("n\($0)") }
        operation.modifyRecordsResultBlock = { _ in }
        operation.isAtomic = number % 2 == 0
        _ = operation.recordsToSave?.count
      }
    }
    #expect(stage.journal.all == ["end"])
  }
}
