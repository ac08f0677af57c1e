import CloudKit
import Testing

@Suite struct `The changes of a database` {
  @Test
  func `the changes of a database contain the zones that were created, changed and deleted`()
    async throws
  {
    try await withCloud { cloud in
      let here = try await cloud.zone()
      let there = try await cloud.zone()
      try await there.save(CKRecordZone(zoneID: zoneY))
      let first = try await here.databaseChanges(since: nil)
      #expect(Set(first.modifications.map(\.zoneID)) == [zoneZ, zoneY])
      #expect(first.deletions.isEmpty && !first.moreComing)

      try await there.saveNotes(["a"])
      let second = try await here.databaseChanges(since: first.changeToken)
      #expect(second.modifications.map(\.zoneID) == [zoneZ])

      try await there.deleteRecordZone(withID: zoneY)
      let third = try await here.databaseChanges(since: second.changeToken)
      #expect(third.modifications.isEmpty)
      #expect(third.deletions.map(\.zoneID) == [zoneY])
      #expect(third.deletions.first?.reason == .deleted)
      #expect(third.deletions.first?.purged == false)

      let fourth = try await here.databaseChanges(since: third.changeToken)
      #expect(fourth.modifications.isEmpty && fourth.deletions.isEmpty)
    }
  }

  @Test func `the changes of a database do not contain the default zone`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      try await database.save(note("a", in: .default))
      #expect(try await database.databaseChanges(since: nil).modifications.isEmpty)
    }
  }

  @Test func `the changes of a database come in pages`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      let zones = (0..<7).map { CKRecordZone(zoneName: "zone\($0)") }
      let (saves, _) = try await database.modifyRecordZones(saving: zones, deleting: [])
      for result in saves.values { _ = try result.get() }
      let first = try await database.databaseChanges(since: nil, resultsLimit: 3)
      #expect(first.modifications.count == 3)
      #expect(first.moreComing)
      let operation = CKFetchDatabaseChangesOperation(
        previousServerChangeToken: first.changeToken)
      operation.resultsLimit = 3
      let journal = Journal()
      operation.recordZoneWithIDChangedBlock = { journal.note($0.zoneName) }
      operation.changeTokenUpdatedBlock = { _ in journal.note("token") }
      operation.fetchDatabaseChangesResultBlock = { result in
        journal.note("end \((try? result.get())?.moreComing ?? true)")
      }
      await database.run(operation)
      #expect(journal.all.count { $0.hasPrefix("zone") } == 4)
      #expect(journal.all.count { $0 == "token" } == 2)
      #expect(journal.all.last == "end false")
    }
  }

  @Test func `a fetch of database changes calls the block for deleted zones`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let token = try await database.databaseChanges(since: nil).changeToken
      try await database.deleteRecordZone(withID: zoneZ)
      let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
      let journal = Journal()
      operation.recordZoneWithIDWasDeletedBlock = { journal.note("-" + $0.zoneName) }
      operation.recordZoneWithIDWasPurgedBlock = { _ in journal.note("purged") }
      operation.fetchDatabaseChangesCompletionBlock = { token, moreComing, error in
        journal.note("\(token != nil) \(moreComing) \(error == nil)")
      }
      await database.run(operation)
      #expect(journal.all == ["-Z", "true false true"])
    }
  }

  @Test func `a database refuses the change token of a zone or of another user`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let ofZone = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      let bob = try await cloud.zone(of: "bob@example.org")
      let ofBob = try await bob.databaseChanges(since: nil)
      for token in [ofZone.changeToken, ofBob.changeToken] {
        await expect(.changeTokenExpired) { try await database.databaseChanges(since: token) }
      }
    }
  }

  @Test func `the changes of the public database are not available`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().publicCloudDatabase
      await expect(.badDatabase) { try await database.databaseChanges(since: nil) }
    }
  }
}
