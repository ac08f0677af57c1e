import Foundation
import StratusFoundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

/// Classes that are `Sendable`. Apps may share objects of these classes between tasks.
@Suite struct `Objects that tasks share` {
  private static let texts = (0..<8).map { String(repeating: "\($0)", count: 100) }

  /// Runs a body many times on all cores.
  ///
  /// If the class has no lock, the test crashes within some hundred rounds: one thread frees a
  /// string while another reads it.
  private func rush(_ body: @escaping @Sendable (String) -> Void) {
    DispatchQueue.concurrentPerform(iterations: 20_000) { body(Self.texts[$0 % 8]) }
  }

  @Test func `NotificationInfo can be used by many tasks at the same time`() {
    let info = CKSubscription.NotificationInfo()
    rush { text in
      info.alertBody = text
      info.alertLocalizationArgs = [text]
      _ = info.title
      info.title = info.alertBody
    }
    #expect(Self.texts.contains(info.alertBody ?? ""))
    #expect(Self.texts.contains(info.title ?? ""))
  }

  @Test func `a subscription can be used by many tasks at the same time`() {
    let database = CKDatabaseSubscription(subscriptionID: "d")
    let zone = CKRecordZoneSubscription(
      zoneID: CKRecordZone.ID(zoneName: "Z"), subscriptionID: "z")
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "q")
    rush { text in
      database.recordType = text
      zone.recordType = database.recordType
      query.zoneID = CKRecordZone.ID(zoneName: text)
      query.notificationInfo = CKSubscription.NotificationInfo(alertBody: text)
      _ = query.copy()
    }
    #expect(Self.texts.contains(zone.recordType ?? ""))
    #expect(Self.texts.contains(query.zoneID?.zoneName ?? ""))
  }

  @Test func `a query can be used by many tasks at the same time`() {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    rush { text in
      query.sortDescriptors = [NSSortDescriptor(key: text, ascending: true)]
      _ = query.copy()
    }
    #expect(Self.texts.contains(query.sortDescriptors?.first?.key ?? ""))
  }

  @Test func `a configuration and a group can be used by many tasks at the same time`() {
    let group = CKOperationGroup()
    let configuration = CKOperation.Configuration()
    rush { text in
      group.name = text
      group.defaultConfiguration = configuration
      group.quantity += 1
      configuration.container = CKContainer(identifier: "iCloud.a")
      configuration.timeoutIntervalForRequest = 5
      _ = group.copy()
    }
    #expect(Self.texts.contains(group.name ?? ""))
    #expect(group.defaultConfiguration.timeoutIntervalForRequest == 5)
  }
}

@Suite struct `An operation's configuration` {
  @Test func `an operation's configuration has CloudKit's defaults`() {
    let configuration = CKOperation.Configuration()
    #expect(configuration.container == nil)
    #expect(configuration.qualityOfService == .default)
    #expect(configuration.allowsCellularAccess)
    #expect(configuration.timeoutIntervalForRequest == 60)
    #expect(configuration.timeoutIntervalForResource == 604_800)
  }

  @Test func `an operation's configuration has no time limit for user-initiated work`() {
    let configuration = CKOperation.Configuration()
    configuration.qualityOfService = .userInitiated
    #expect(configuration.timeoutIntervalForResource == -1)
    configuration.timeoutIntervalForResource = 10
    #expect(configuration.timeoutIntervalForResource == 10)
  }

  @Test func `an operation copies its configuration, and nil restores the defaults`() {
    let operation = CKOperation()
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 5
    operation.configuration = configuration
    configuration.timeoutIntervalForRequest = 6
    #expect(operation.configuration.timeoutIntervalForRequest == 5)
    operation.configuration.timeoutIntervalForRequest = 7
    #expect(operation.timeoutIntervalForRequest == 7)
    operation.configuration = nil
    #expect(operation.configuration.timeoutIntervalForRequest == 60)
  }

  @Test func `an operation's configuration gets its unset values from the group`() {
    let operation = CKOperation()
    operation.group = CKOperationGroup()
    operation.group?.defaultConfiguration.timeoutIntervalForRequest = 5
    operation.group?.defaultConfiguration.qualityOfService = .utility
    #expect(operation.resolved.timeoutIntervalForRequest == 5)
    #expect(operation.resolved.qualityOfService == .utility)
  }

  @Test func `an operation's configuration overrides the group, even with a default value`() {
    let operation = CKOperation()
    operation.group = CKOperationGroup()
    operation.group?.defaultConfiguration.timeoutIntervalForRequest = 5
    operation.configuration.timeoutIntervalForRequest = 60
    #expect(operation.resolved.timeoutIntervalForRequest == 60)
  }

  @Test func `an operation's configuration sets the time-out of the request`() async {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
    operation.timeoutIntervalForRequest = 7
    await server.database.run(operation)
    #expect(server.calls.map(\.timeoutSeconds) == [7])
  }

  @Test
  func `the configuration of a configured database applies to the database's calls`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 9
    try await server.database.configuredWith(configuration: configuration) { database in
      _ = try await database.save(note("a"))
    }
    #expect(server.calls.map(\.timeoutSeconds) == [9])
  }

  @Test func `an operation with the quality of service utility retries on a broken network`()
    async
  {
    let server = FakeServer()
    let failures = Journal()
    server.onRaw(LookupRecords.path) { (call) async throws(NetworkFailure) in
      failures.note("failed")
      if failures.all.count < 4 { throw .lostBeforeSending }
      let response = RecordsResponse(records: [.record(stored("a"))])
      return HTTPResponse(status: 200, body: response.jsonBytes)
    }
    let patient = CKFetchRecordsOperation(recordIDs: [id("a")])
    patient.qualityOfService = .utility
    let journal = Journal()
    patient.fetchRecordsResultBlock = { journal.note("\(code($0) == nil)") }
    await server.database.run(patient)
    #expect(journal.all == ["true"])
    #expect(failures.all.count == 4)
  }

  @Test func `an operation with the default configuration fails on a broken network`() async {
    let server = FakeServer()
    await #expect {
      try await server.container(webAuthToken: nil).privateCloudDatabase
        .record(for: id("a"))
    } throws: { code($0) == .networkFailure }
    #expect(server.calls.count == 1)
  }
}

@Suite struct `An operation group` {
  @Test func `an operation group survives archiving`() throws {
    let group = CKOperationGroup()
    group.name = "import"
    group.quantity = 3
    group.expectedSendSize = .megabytes
    group.defaultConfiguration.timeoutIntervalForRequest = 5
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: group, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: data))
    #expect(read.operationGroupID == group.operationGroupID)
    #expect(read.name == "import")
    #expect(read.quantity == 3)
    #expect(read.expectedSendSize == .megabytes)
    #expect(read.expectedReceiveSize == .unknown)
    #expect(read.defaultConfiguration.timeoutIntervalForRequest == 5)
    #expect(read.defaultConfiguration.explicit.qualityOfService == nil)
  }

  @Test func `the copy of an operation group has the same ID`() {
    let group = CKOperationGroup()
    group.name = "import"
    let copy = group.copy() as? CKOperationGroup
    #expect(copy?.operationGroupID == group.operationGroupID)
    #expect(copy?.name == "import")
    #expect(copy !== group)
  }
}
