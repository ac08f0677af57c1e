import Foundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `A database's changes` {
  /// A server with three pages of one zone each. The third zone has been deleted.
  private func server() -> FakeServer {
    let server = FakeServer()
    server.on(FetchDatabaseChanges.self) { request in
      if request.syncToken == "old" { throw refusal(.badRequest, Reason.syncTokenExpired) }
      let page = request.syncToken.flatMap { Int($0) } ?? 0
      let zone = ZoneID(zoneName: "Z\(page)", ownerRecordName: FakeServer.userName)
      return FetchDatabaseChanges.Response(
        zones: [ZoneDictionary(zoneID: zone, isDeleted: page == 2)],
        syncToken: "\(page + 1)", moreComing: page < 2)
    }
    return server
  }

  @Test func `a database's changes come page by page, each page with its token`() async {
    let journal = Journal()
    let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
    operation.recordZoneWithIDChangedBlock = { journal.note("changed \($0.zoneName)") }
    operation.recordZoneWithIDWasDeletedBlock = { journal.note("deleted \($0.zoneName)") }
    operation.changeTokenUpdatedBlock = { journal.note("token \($0.syncToken)") }
    operation.fetchDatabaseChangesCompletionBlock = { _, _, _ in journal.note("legacy") }
    operation.fetchDatabaseChangesResultBlock = { result in
      let value = try? result.get()
      journal.note("\(value?.serverChangeToken.syncToken ?? "") \(value?.moreComing ?? true)")
    }
    await server().database.run(operation)
    #expect(
      journal.all == [
        "changed Z0", "token 1", "changed Z1", "token 2", "deleted Z2", "token 3", "3 false",
      ])
  }

  @Test
  func `a database's changes end after one page when fetchAllChanges is false`() async throws {
    let page = try await server().database.databaseChanges(since: nil)
    #expect(page.modifications.map(\.zoneID) == [CKRecordZone.ID(zoneName: "Z0")])
    #expect(page.moreComing)
    let last = try await server().database.databaseChanges(
      since: CKServerChangeToken(syncToken: "2"))
    #expect(last.deletions.map(\.zoneID.zoneName) == ["Z2"])
    #expect(last.deletions.map(\.reason) == [.deleted])
    #expect(!last.moreComing)
  }

  @Test
  func `a fetch of a database's changes fails with changeTokenExpired for an expired token`() async
  {
    await #expect {
      try await server().database.databaseChanges(since: CKServerChangeToken(syncToken: "old"))
    } throws: { code($0) == .changeTokenExpired }
  }

  @Test func `a fetch of a database's changes stops when the server repeats a token`() async {
    let server = FakeServer()
    server.on(FetchDatabaseChanges.self) { _ in
      FetchDatabaseChanges.Response(zones: [], syncToken: "same", moreComing: true)
    }
    let journal = Journal()
    let operation = CKFetchDatabaseChangesOperation()
    operation.fetchDatabaseChangesResultBlock = { journal.note("\(code($0)?.rawValue ?? 0)") }
    await server.database.run(operation)
    #expect(journal.all == ["1"])
    #expect(server.calls.count == 2)
  }
}

@Suite struct `Changes of zones` {
  /// A server with two pages for zone Z: two records, then a tombstone. Zone X has an expired
  /// token.
  private func server() -> FakeServer {
    let server = FakeServer()
    server.on(FetchZoneChanges.self) { request in
      FetchZoneChanges.Response(
        zones: request.zones.map { item in
          let zoneID = ZoneID(
            zoneName: item.zoneID.zoneName, ownerRecordName: FakeServer.userName)
          if zoneID.zoneName == "X" {
            return .failure(zoneID, refusal(.badRequest, Reason.syncTokenExpired))
          }
          let isFirst = item.syncToken == nil
          return .changes(
            ZoneChanges(
              zoneID: zoneID,
              records: isFirst
                ? [.record(stored("a")), .record(stored("b"))]
                : [.deleted(Tombstone(recordName: "c", recordType: "Note"))],
              syncToken: isFirst ? "1" : "2", moreComing: isFirst, clientChangeToken: "AQID"))
        })
    }
    return server
  }

  private func journaled(
    _ zones: [CKRecordZone.ID], into journal: Journal
  ) -> CKFetchRecordZoneChangesOperation {
    let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: zones)
    operation.recordWasChangedBlock = { id, _ in journal.note("changed \(id.recordName)") }
    operation.recordWithIDWasDeletedBlock = { journal.note("deleted \($0.recordName) \($1)") }
    operation.recordZoneChangeTokensUpdatedBlock = { zone, token, client in
      journal.note("token \(zone.zoneName) \(token?.syncToken ?? "") \(client?.count ?? 0)")
    }
    operation.recordZoneFetchResultBlock = { zone, result in
      let value = try? result.get()
      journal.note(
        "zone \(zone.zoneName) \(value?.serverChangeToken.syncToken ?? "") "
          + "\(value?.clientChangeTokenData?.count ?? 0) \(code(result)?.rawValue ?? 0)")
    }
    operation.fetchRecordZoneChangesResultBlock = {
      journal.note("result \(code($0)?.rawValue ?? 0)")
    }
    return operation
  }

  @Test
  func `the changes of zones arrive one zone after the other, with tokens between pages`()
    async throws
  {
    let server = server()
    let journal = Journal()
    let zoneX = CKRecordZone.ID(zoneName: "X")
    await server.database.run(journaled([zoneX, zoneZ], into: journal))
    #expect(
      journal.all == [
        "zone X  0 21", "changed a", "changed b", "token Z 1 3", "deleted c Note",
        "zone Z 2 3 0", "result 0",
      ])
    let requests = try server.calls.map { try $0.request(FetchZoneChanges.Request.self) }
    #expect(requests.map { $0.zones.first?.syncToken } == [nil, nil, "1"])
    let selections = requests.flatMap(\.zones).map(\.selection)
    #expect(selections.map(\.showsDeletedRecordTypes) == [true, true, true])
  }

  @Test func `the changes of a zone come as one page when fetchAllChanges is false`() async {
    let journal = Journal()
    let operation = journaled([zoneZ], into: journal)
    operation.fetchAllChanges = false
    await server().database.run(operation)
    #expect(journal.all == ["changed a", "changed b", "zone Z 1 3 0", "result 0"])
  }

  @Test
  func `the changes of a zone continue from the token of the zone's configuration`() async throws {
    let server = server()
    let journal = Journal()
    let operation = journaled([zoneZ], into: journal)
    operation.configurationsByRecordZoneID = [
      zoneZ: CKFetchRecordZoneChangesOperation.ZoneConfiguration(
        previousServerChangeToken: CKServerChangeToken(syncToken: "1"), resultsLimit: 7,
        desiredKeys: ["title"])
    ]
    await server.database.run(operation)
    #expect(journal.all == ["deleted c Note", "zone Z 2 3 0", "result 0"])
    let item = try #require(
      try server.calls.first?.request(FetchZoneChanges.Request.self).zones.first)
    #expect(item.syncToken == "1")
    #expect(item.selection.resultsLimit == 7)
    #expect(item.selection.fields.desiredKeys == ["title"])
  }

  @Test
  func `a fetch of zone changes reports a failed zone to the legacy block as a partial failure`()
    async
  {
    let journal = Journal()
    let zoneX = CKRecordZone.ID(zoneName: "X")
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zoneX, zoneZ], optionsByRecordZoneID: nil)
    operation.recordChangedBlock = { journal.note("changed \($0.recordID.recordName)") }
    operation.recordZoneFetchCompletionBlock = { zone, token, _, more, error in
      journal.note(
        "\(zone.zoneName) \(token?.syncToken ?? "") \(more) \(code(error)?.rawValue ?? 0)")
    }
    operation.fetchRecordZoneChangesCompletionBlock = { error in
      let error = error as? CKError
      journal.note("\(error?.code.rawValue ?? 0)")
      journal.note("\(code(error?.partialErrorsByItemID?[zoneX])?.rawValue ?? 0)")
    }
    await server().database.run(operation)
    #expect(
      journal.all == ["X  false 21", "changed a", "changed b", "Z 2 false 0", "2", "21"])
  }

  @Test func `an async call returns one page of a zone's changes or throws the zone's error`()
    async throws
  {
    let database = server().database
    let page = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
    #expect(Set(page.modificationResultsByID.keys) == [id("a"), id("b")])
    #expect(page.moreComing)
    let last = try await database.recordZoneChanges(
      inZoneWith: zoneZ, since: page.changeToken)
    #expect(last.deletions.map(\.recordID) == [id("c")])
    #expect(last.deletions.map(\.recordType) == ["Note"])
    #expect(!last.moreComing)
    await #expect {
      try await database.recordZoneChanges(
        inZoneWith: CKRecordZone.ID(zoneName: "X"), since: nil)
    } throws: { code($0) == .changeTokenExpired }
  }

  @Test func `the deprecated operation returns one page of a zone's changes`() async {
    let journal = Journal()
    let operation = CKFetchRecordChangesOperation(
      recordZoneID: zoneZ, previousServerChangeToken: nil)
    operation.recordChangedBlock = { journal.note("changed \($0.recordID.recordName)") }
    operation.fetchRecordChangesCompletionBlock = { [unowned operation] token, client, error in
      journal.note("\(token?.syncToken ?? "") \(client?.count ?? 0) \(error == nil)")
      journal.note("\(operation.moreComing)")
    }
    await server().database.run(operation)
    #expect(journal.all == ["changed a", "changed b", "1 3 true", "true"])
  }

  @Test func `a fetch of zone changes fails as a whole without an account`() async {
    let server = FakeServer()
    server.on(FetchZoneChanges.self) { _ in throw refusal(.authenticationFailed) }
    let journal = Journal()
    await server.database.run(journaled([zoneZ], into: journal))
    #expect(journal.all == ["result 9"])
  }

  @Test func `the configuration of a zone's changes survives archiving`() throws {
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
      previousServerChangeToken: CKServerChangeToken(syncToken: "1"), resultsLimit: 7,
      desiredKeys: ["title"])
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: configuration, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKFetchRecordZoneChangesOperation.ZoneConfiguration.self, from: data))
    #expect(read.previousServerChangeToken?.syncToken == "1")
    #expect(read.resultsLimit == 7)
    #expect(read.desiredKeys == ["title"])
  }
}
