import Foundation
import StratusFoundation
import StratusTransport
import Testing

@testable import StratusKit

@Suite struct `The archive of a long-lived operation` {
  /// Archives an operation, restores the operation as a later process does, and checks the result.
  private func again<Operation: CKDatabaseOperation>(
    _ operation: Operation, in scope: CKDatabase.Scope = .private,
    _ check: (Operation) throws -> Void
  ) throws {
    let disk = DiskScene()
    let container = disk.container(on: FakeServer())
    let account = container.path.connection?.accountDigest
    do {
      let kept = try #require(operation as? any LongLivedOperation)
      #expect(
        LongLivedArchive.save(kept, to: try disk.saved(), scope: scope, account: account))
    }
    let saved = try #require(disk.operations.open(id: "A", now: 0))
    let made = try #require(
      LongLivedArchive.make(from: saved, in: container) as? Operation)
    #expect(type(of: made) == Operation.self)
    #expect(made.operationID == "A")
    #expect(made.isLongLived)
    #expect(made.database === container.database(with: scope))
    try check(made)
  }

  @Test func `an archived operation restores its database, configuration and group`() throws {
    let operation = CKFetchRecordsOperation(recordIDs: [])
    operation.group = CKOperationGroup()
    operation.group?.defaultConfiguration.timeoutIntervalForRequest = 7
    operation.configuration.qualityOfService = .utility
    operation.configuration.timeoutIntervalForResource = 99
    operation.configuration.allowsCellularAccess = false
    try again(operation, in: .public) { made in
      #expect(made.group?.operationGroupID == operation.group?.operationGroupID)
      #expect(made.configuration.qualityOfService == .utility)
      #expect(made.configuration.timeoutIntervalForRequest == 7)
      #expect(made.configuration.timeoutIntervalForResource == 99)
      #expect(!made.configuration.allowsCellularAccess)
    }
  }

  @Test func `an archived fetch restores its record IDs`() throws {
    let operation = CKFetchRecordsOperation(recordIDs: [id("a"), id("b")])
    operation.desiredKeys = ["title"]
    try again(operation) { made in
      #expect(made.recordIDs == [id("a"), id("b")])
      #expect(made.desiredKeys == ["title"])
      #expect(!made.wantsCurrentUser)
    }
    try again(CKFetchRecordsOperation.fetchCurrentUserRecordOperation()) { made in
      #expect(made.wantsCurrentUser)
      #expect(made.recordIDs == nil)
      #expect(made.desiredKeys == nil)
    }
  }

  @Test func `an archived save restores its changed records, and copies of their files`() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-test-\(UUID().uuidString)")
    try Data("contents".utf8).write(to: file)
    let record = note("a")
    record["title"] = "x"
    record["files"] = [CKAsset(fileURL: file), CKAsset(fileURL: file)]
    record["missing"] = CKAsset(fileURL: file.appendingPathExtension("none"))
    let operation = CKModifyRecordsOperation(
      recordsToSave: [record], recordIDsToDelete: [id("b")])
    operation.savePolicy = .allKeys
    operation.isAtomic = false
    operation.clientChangeTokenData = Data([1, 2])
    let disk = DiskScene()
    let container = disk.container(on: FakeServer())
    do {
      #expect(
        LongLivedArchive.save(operation, to: try disk.saved(), scope: .private, account: nil))
    }
    try FileManager.default.removeItem(at: file)
    let saved = try #require(disk.operations.open(id: "A", now: 0))
    let made = try #require(
      LongLivedArchive.make(from: saved, in: container) as? CKModifyRecordsOperation)
    #expect(made.recordIDsToDelete == [id("b")])
    #expect(made.savePolicy == .allKeys)
    #expect(!made.isAtomic)
    #expect(made.clientChangeTokenData == Data([1, 2]))
    let again = try #require(made.recordsToSave?.first)
    #expect(again.recordID == id("a"))
    #expect(Set(again.changedKeys()) == ["files", "missing", "title"])
    #expect(again["title"] as? String == "x")
    let files = try #require(again["files"] as? [CKAsset])
    for asset in files {
      #expect(try Data(contentsOf: try #require(asset.fileURL)) == Data("contents".utf8))
    }
    #expect(files.count == 2)
    #expect((again["missing"] as? CKAsset)?.fileURL == file.appendingPathExtension("none"))
  }

  @Test func `an archived query restores its predicate, order, zone and limits`() throws {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@", "x"))
    query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    let operation = CKQueryOperation(query: query)
    operation.zoneID = zoneZ
    operation.resultsLimit = 7
    operation.desiredKeys = []
    try again(operation) { made in
      #expect(made.query?.recordType == "Note")
      #expect(made.query?.predicate.description == query.predicate.description)
      #expect(made.query?.sortDescriptors?.first?.key == "title")
      #expect(made.query?.sortDescriptors?.first?.ascending == false)
      #expect(made.zoneID == zoneZ)
      #expect(made.resultsLimit == 7)
      #expect(made.desiredKeys == [])
      #expect(made.cursor == nil)
    }
  }

  @Test func `an archived zone operation restores its zone IDs`() throws {
    try again(CKFetchRecordZonesOperation(recordZoneIDs: [zoneZ])) { made in
      #expect(made.recordZoneIDs == [zoneZ])
      #expect(!made.wantsAll)
    }
    try again(CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()) { made in
      #expect(made.wantsAll)
    }
    let modify = CKModifyRecordZonesOperation(
      recordZonesToSave: [CKRecordZone(zoneID: zoneZ)],
      recordZoneIDsToDelete: [CKRecordZone.ID(zoneName: "Y")])
    try again(modify) { made in
      #expect(made.recordZonesToSave?.map(\.zoneID) == [zoneZ])
      #expect(made.recordZoneIDsToDelete == [CKRecordZone.ID(zoneName: "Y")])
    }
  }

  @Test func `an archived fetch of changes restores its change tokens`() throws {
    let token = CKServerChangeToken(syncToken: "here")
    let database = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
    database.fetchAllChanges = false
    database.resultsLimit = 3
    try again(database) { made in
      #expect(made.previousServerChangeToken == token)
      #expect(!made.fetchAllChanges)
      #expect(made.resultsLimit == 3)
    }
    let zones = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zoneZ],
      configurationsByRecordZoneID: [
        zoneZ: .init(
          previousServerChangeToken: token, resultsLimit: 4, desiredKeys: ["title"])
      ])
    try again(zones) { made in
      #expect(made.recordZoneIDs == [zoneZ])
      let configuration = made.configurationsByRecordZoneID?[zoneZ]
      #expect(configuration?.previousServerChangeToken == token)
      #expect(configuration?.resultsLimit == 4)
      #expect(configuration?.desiredKeys == ["title"])
      #expect(made.optionsByRecordZoneID == nil)
      #expect(made.fetchAllChanges)
    }
    let records = CKFetchRecordChangesOperation(
      recordZoneID: zoneZ, previousServerChangeToken: token)
    try again(records) { made in
      #expect(made.recordZoneID == zoneZ)
      #expect(made.previousServerChangeToken == token)
    }
  }

  @Test func `an archived subscription operation restores its subscriptions`() throws {
    try again(CKFetchSubscriptionsOperation(subscriptionIDs: ["a"])) { made in
      #expect(made.subscriptionIDs == ["a"])
    }
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "q",
      options: .firesOnRecordCreation)
    let modify = CKModifySubscriptionsOperation(
      subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "d"), query],
      subscriptionIDsToDelete: ["x"])
    try again(modify) { made in
      #expect(made.subscriptionsToSave?.map(\.subscriptionID) == ["d", "q"])
      #expect((made.subscriptionsToSave?.last as? CKQuerySubscription)?.recordType == "Note")
      #expect(made.subscriptionIDsToDelete == ["x"])
    }
  }
}
