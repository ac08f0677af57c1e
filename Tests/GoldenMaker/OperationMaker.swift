import Foundation
import StratusFoundation
import StratusTesting
import StratusTransport
import StratusWire
import Synchronization

@testable import StratusKit

/// Long-lived operations in the state folder. One operation of each kind has not started. Another
/// operation was saving a record when its process died.
struct OperationMaker {
  private let scene: MakerScene
  private let container: CKContainer
  private let token = CKServerChangeToken(syncToken: "golden-token")

  init(_ scene: MakerScene) {
    self.scene = scene
    container = scene.container(of: "alice")
  }

  func make() async throws {
    try recordKinds()
    try zoneKinds()
    try changeKinds()
    try subscriptionKinds()
    try await interrupted()
    try FileManager.default.removeItem(
      at: scene.device.appendingPathComponent("keys.json.lock"))
  }

  private func keep(
    _ operation: any LongLivedOperation, as id: String, in scope: CKDatabase.Scope = .private
  ) throws {
    guard let saved = container.path.savedOperations?.make(id: id),
      LongLivedArchive.save(
        operation, to: saved, scope: scope, account: container.path.connection?.accountDigest)
    else { throw MakerFailure("\(id) cannot be kept") }
    saved.keep(userRecordName: scene.text("userRecordName.alice"))
  }

  private func recordKinds() throws {
    let fetch = CKFetchRecordsOperation(recordIDs: [GoldenValues.id("note-1")])
    fetch.desiredKeys = ["title"]
    fetch.group = CKOperationGroup()
    fetch.group?.name = "Golden"
    fetch.configuration.qualityOfService = .utility
    fetch.configuration.timeoutIntervalForRequest = 7
    fetch.configuration.timeoutIntervalForResource = 99
    fetch.configuration.allowsCellularAccess = false
    try keep(fetch, as: "fetch-records", in: .public)
    let record = CKRecord(recordType: "Note", recordID: GoldenValues.id("kept-1"))
    record["title"] = "Kept"
    record["photo"] = CKAsset(fileURL: try scene.file("kept.bin", "kept bytes"))
    record.encryptedValues["secretText"] = "kept secret"
    let modify = CKModifyRecordsOperation(
      recordsToSave: [record], recordIDsToDelete: [GoldenValues.id("note-9")])
    modify.savePolicy = .changedKeys
    modify.isAtomic = false
    modify.clientChangeTokenData = Data([1, 2])
    try keep(modify, as: "modify-records")
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == 'x'"))
    query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    let operation = CKQueryOperation(query: query)
    operation.zoneID = GoldenValues.notes
    operation.resultsLimit = 7
    operation.desiredKeys = []
    try keep(operation, as: "query")
  }

  private func zoneKinds() throws {
    try keep(CKFetchRecordZonesOperation(recordZoneIDs: [GoldenValues.notes]), as: "fetch-zones")
    let zone = CKRecordZone(zoneName: "Kept")
    zone.encryptionScope = .perZone
    try keep(
      CKModifyRecordZonesOperation(
        recordZonesToSave: [zone], recordZoneIDsToDelete: [CKRecordZone.ID(zoneName: "Old")]),
      as: "modify-zones")
  }

  private func changeKinds() throws {
    let database = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
    database.resultsLimit = 3
    database.fetchAllChanges = false
    try keep(database, as: "fetch-database-changes")
    try keep(
      CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [GoldenValues.notes],
        configurationsByRecordZoneID: [
          GoldenValues.notes: .init(
            previousServerChangeToken: token, resultsLimit: 4, desiredKeys: ["title"])
        ]), as: "fetch-zone-changes")
    let older = CKFetchRecordZoneChangesOperation()
    older.recordZoneIDs = [GoldenValues.notes]
    let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
    options.previousServerChangeToken = token
    options.resultsLimit = 5
    older.optionsByRecordZoneID = [GoldenValues.notes: options]
    try keep(older, as: "fetch-zone-changes-by-options")
    try keep(
      CKFetchRecordChangesOperation(
        recordZoneID: GoldenValues.notes, previousServerChangeToken: token),
      as: "fetch-record-changes")
  }

  private func subscriptionKinds() throws {
    try keep(CKFetchSubscriptionsOperation(subscriptionIDs: ["a"]), as: "fetch-subscriptions")
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "q",
      options: .firesOnRecordCreation)
    try keep(
      CKModifySubscriptionsOperation(
        subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "d"), query],
        subscriptionIDsToDelete: ["x"]), as: "modify-subscriptions")
  }

  /// Stores an operation whose process died while it waited for the answer to its save. Its upload
  /// was answered earlier, and the server has carried out the save.
  private func interrupted() async throws {
    let exchange = DyingExchange(scene.server.exchange)
    let container = scene.container(of: "alice", through: exchange)
    let record = CKRecord(recordType: "Note", recordID: GoldenValues.id("interrupted-1"))
    record["title"] = "Interrupted"
    record["photo"] = CKAsset(fileURL: try scene.file("interrupted.bin", "interrupted bytes"))
    let operation = CKModifyRecordsOperation(recordsToSave: [record])
    operation.configuration.isLongLived = true
    let id = operation.operationID
    let end = AsyncStream.makeStream(of: Void.self)
    operation.modifyRecordsResultBlock = { _ in end.continuation.yield() }
    container.privateCloudDatabase.add(operation)
    await exchange.hasDied()
    let operations = scene.device.appendingPathComponent(
      "state/operations/\(MakerScene.golden).development")
    try FileManager.default.copyItem(
      at: operations.appendingPathComponent(id),
      to: operations.appendingPathComponent("interrupted"))
    operation.cancel()
    exchange.revive()
    for await _ in end.stream { break }
    try? FileManager.default.removeItem(at: operations.appendingPathComponent(id))
  }
}

/// Sends requests to a server. The answer to a save of records does not arrive.
private final class DyingExchange: HTTPExchange {
  private let exchange: any HTTPExchange
  private let death = AsyncStream.makeStream(of: Void.self)
  private let life = AsyncStream.makeStream(of: Void.self)

  init(_ exchange: any HTTPExchange) { self.exchange = exchange }

  func hasDied() async { for await _ in death.stream { return } }

  func revive() { life.continuation.yield() }

  func send(
    _ request: StratusTransport.HTTPRequest
  ) async throws(NetworkFailure) -> StratusTransport.HTTPResponse {
    let answer = try await exchange.send(request)
    guard request.url.path.hasSuffix("records/modify") else { return answer }
    death.continuation.yield()
    for await _ in life.stream { break }
    throw .cancelled
  }
}
