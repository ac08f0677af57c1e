import Foundation
import StratusFoundation
import StratusTransport
import Testing

@testable import StratusKit

@Suite struct `Long-lived operations from the last release before sharing` {
  private let scratch: ScratchFolder
  private let container: CKContainer
  private let operations: SavedOperations
  private let token = CKServerChangeToken(syncToken: "golden-token")

  init() throws {
    scratch = try ScratchFolder()
    let state = scratch.url.appending(path: "state")
    try GoldenFiles.copy("device/state", to: state)
    container = CKContainer(
      identifier: GoldenFiles.golden,
      settings: CKContainer.Settings(
        url: URL(string: "http://stratus.test"), apiToken: "api", webAuthToken: "web",
        stateFolder: state),
      exchange: NoServer(), program: GoldenFiles.program)
    operations = try #require(container.path.savedOperations)
  }

  private func operation<Operation: CKDatabaseOperation>(
    _ id: String, of type: Operation.Type, in scope: CKDatabase.Scope = .private
  ) throws -> Operation {
    let saved = try #require(operations.open(id: id, now: 0), "there is no \(id)")
    let made = try #require(LongLivedArchive.make(from: saved, in: container) as? Operation)
    #expect(made.operationID == id)
    #expect(made.isLongLived)
    #expect(made.database === container.database(with: scope))
    let user = try GoldenFiles.text("userRecordName.alice")
    #expect(operations.userRecordName(of: id) == user)
    return made
  }

  @Test func `long-lived operations that an earlier release stored are listed`() {
    #expect(
      operations.ids(now: 0) == [
        "fetch-database-changes", "fetch-record-changes", "fetch-records",
        "fetch-subscriptions", "fetch-zone-changes", "fetch-zone-changes-by-options",
        "fetch-zones", "interrupted", "modify-records", "modify-subscriptions", "modify-zones",
        "query",
      ])
  }

  @Test func `an old operation that fetches records has its configuration and group`() throws {
    let made = try operation(
      "fetch-records", of: CKFetchRecordsOperation.self, in: .public)
    #expect(made.recordIDs == [GoldenFiles.id("note-1")])
    #expect(made.desiredKeys == ["title"])
    #expect(made.group?.name == "Golden")
    #expect(made.configuration.qualityOfService == .utility)
    #expect(made.configuration.timeoutIntervalForRequest == 7)
    #expect(made.configuration.timeoutIntervalForResource == 99)
    #expect(!made.configuration.allowsCellularAccess)
  }

  @Test func `an old operation that saves records has their values and files`() throws {
    let made = try operation("modify-records", of: CKModifyRecordsOperation.self)
    #expect(made.recordIDsToDelete == [GoldenFiles.id("note-9")])
    #expect(made.savePolicy == .changedKeys)
    #expect(!made.isAtomic)
    #expect(made.clientChangeTokenData == Data([1, 2]))
    let record = try #require(made.recordsToSave?.first)
    #expect(record.recordID == GoldenFiles.id("kept-1"))
    #expect(record["title"] as? String == "Kept")
    #expect(record.encryptedValues["secretText"] as? String == "kept secret")
    let file = try #require((record["photo"] as? CKAsset)?.fileURL)
    #expect(try Data(contentsOf: file) == Data("kept bytes".utf8))
  }

  @Test func `a query operation of an earlier release has its query`() throws {
    let made = try operation("query", of: CKQueryOperation.self)
    #expect(made.query?.recordType == "Note")
    #expect(made.query?.predicate == NSPredicate(format: "title == 'x'"))
    #expect(made.query?.sortDescriptors?.map(\.key) == ["title"])
    #expect(made.query?.sortDescriptors?.map(\.ascending) == [false])
    #expect(made.zoneID == GoldenFiles.notes)
    #expect(made.resultsLimit == 7)
    #expect(made.desiredKeys == [])
  }

  @Test func `an old operation on zones has the IDs of the zones`() throws {
    let fetch = try operation("fetch-zones", of: CKFetchRecordZonesOperation.self)
    #expect(fetch.recordZoneIDs == [GoldenFiles.notes])
    let modify = try operation("modify-zones", of: CKModifyRecordZonesOperation.self)
    #expect(modify.recordZonesToSave?.map(\.zoneID.zoneName) == ["Kept"])
    #expect(modify.recordZonesToSave?.first?.explicitEncryptionScope == .perZone)
    #expect(modify.recordZoneIDsToDelete == [CKRecordZone.ID(zoneName: "Old")])
  }

  @Test func `an old operation that fetches changes has its tokens`() throws {
    let database = try operation(
      "fetch-database-changes", of: CKFetchDatabaseChangesOperation.self)
    #expect(database.previousServerChangeToken == token)
    #expect(database.resultsLimit == 3)
    #expect(!database.fetchAllChanges)
    let zones = try operation(
      "fetch-zone-changes", of: CKFetchRecordZoneChangesOperation.self)
    let configuration = zones.configurationsByRecordZoneID?[GoldenFiles.notes]
    #expect(zones.recordZoneIDs == [GoldenFiles.notes])
    #expect(configuration?.previousServerChangeToken == token)
    #expect(configuration?.resultsLimit == 4)
    #expect(configuration?.desiredKeys == ["title"])
    let older = try operation(
      "fetch-zone-changes-by-options", of: CKFetchRecordZoneChangesOperation.self)
    let options = older.optionsByRecordZoneID?[GoldenFiles.notes]
    #expect(options?.previousServerChangeToken == token)
    #expect(options?.resultsLimit == 5)
    let records = try operation(
      "fetch-record-changes", of: CKFetchRecordChangesOperation.self)
    #expect(records.recordZoneID == GoldenFiles.notes)
    #expect(records.previousServerChangeToken == token)
  }

  @Test func `an old operation on subscriptions has the subscriptions and their IDs`() throws {
    let fetch = try operation("fetch-subscriptions", of: CKFetchSubscriptionsOperation.self)
    #expect(fetch.subscriptionIDs == ["a"])
    let modify = try operation("modify-subscriptions", of: CKModifySubscriptionsOperation.self)
    #expect(modify.subscriptionsToSave?.map(\.subscriptionID) == ["d", "q"])
    #expect((modify.subscriptionsToSave?.last as? CKQuerySubscription)?.recordType == "Note")
    #expect(modify.subscriptionIDsToDelete == ["x"])
  }
}

/// A network on which every request fails.
private struct NoServer: HTTPExchange {
  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    throw .notConnected
  }
}
