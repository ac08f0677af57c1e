import CloudKit
import StratusTesting
import Testing

@Suite struct Faults {
  @Test func `a fault affects as many requests as the test asks for`() async throws {
    try await withStage { stage in
      stage.phone.fail(next: .fetchRecords, with: .zoneBusy, times: 2)
      await expect(.zoneBusy) { try await stage.fetch() }
      await expect(.zoneBusy) { try await stage.fetch() }
      try await stage.fetch()
      stage.phone.fail(next: .fetchRecords, with: .zoneBusy, times: nil)
      for _ in 1...4 { await expect(.zoneBusy) { try await stage.fetch() } }
      stage.phone.clearFaults()
      try await stage.fetch()
    }
  }

  @Test func `a fault affects one device or all devices`() async throws {
    try await withStage { stage in
      stage.phone.fail(next: .fetchRecords, with: .internalError)
      _ = try await stage.laptopDatabase.record(for: Stage.recordID("first"))
      await expect(.internalError) { try await stage.fetch() }
      stage.server.fail(next: .fetchRecords, with: .internalError)
      let error = await failure {
        _ = try await stage.laptopDatabase.record(for: Stage.recordID("first"))
      }
      #expect(error?.code == .internalError)
      try await stage.fetch()
    }
  }

  @Test func `a fault can affect one record of several`() async throws {
    try await withStage { stage in
      stage.phone.fail(next: .modifyRecords.of("b"), with: .serverRejectedRequest)
      let records = ["a", "b", "c"].map { Stage.note($0) }
      let (saves, _) = try await stage.database.modifyRecords(
        saving: records, deleting: [], atomically: false)
      #expect(code(saves[Stage.recordID("a")]) == nil)
      #expect(code(saves[Stage.recordID("b")]) == .serverRejectedRequest)
      #expect(code(saves[Stage.recordID("c")]) == nil)
      try await stage.fetch("a")
      await expect(.unknownItem) { try await stage.fetch("b") }
      try await stage.fetch("c")
    }
  }

  @Test
  func `a fault in an atomic batch affects the whole batch, and no record of it is saved`()
    async throws
  {
    try await withStage { stage in
      stage.phone.fail(next: .modifyRecords.of("b"), with: .serverRejectedRequest)
      let (saves, _) = try await stage.database.modifyRecords(
        saving: [Stage.note("a"), Stage.note("b")], deleting: [], atomically: true)
      #expect(code(saves[Stage.recordID("a")]) == .batchRequestFailed)
      #expect(code(saves[Stage.recordID("b")]) == .serverRejectedRequest)
      await expect(.unknownItem) { try await stage.fetch("a") }
    }
  }

  @Test func `a fault can be limited to the requests about one zone`() async throws {
    try await withStage { stage in
      let other = CKRecordZone.ID(zoneName: "Other")
      try await stage.database.save(CKRecordZone(zoneID: other))
      stage.phone.fail(next: .modifyRecords.in("Other"), with: .zoneBusy)
      try await stage.save()
      let record = CKRecord(
        recordType: "Note", recordID: CKRecord.ID(recordName: "n", zoneID: other))
      await expect(.zoneBusy) { try await stage.database.save(record) }
      try await stage.database.save(record)
    }
  }

  @Test func `a requested conflict error contains the server's record`() async throws {
    try await withStage { stage in
      stage.phone.fail(next: .modifyRecords.of("first"), with: .serverRecordChanged)
      let mine = try await stage.database.record(for: Stage.recordID("first"))
      mine["text"] = "mine"
      let error = await failure { try await stage.database.save(mine) }
      #expect(error?.code == .serverRecordChanged)
      #expect(error?.serverRecord?["text"] == "text")
      #expect(error?.clientRecord?["text"] == "mine")
    }
  }

  @Test func `a fault can lose an answer after the server has handled the request`() async throws {
    try await withStage { stage in
      stage.phone.disturb(next: .modifyRecords, by: .losesResponse)
      await expect(.serverResponseLost) { try await stage.save() }
      try await stage.fetch("second")
    }
  }

  @Test func `a fault can lose a request before the server receives it`() async throws {
    try await withStage { stage in
      stage.phone.disturb(next: .modifyRecords, by: .losesRequest)
      await expect(.networkFailure) { try await stage.save() }
      await expect(.unknownItem) { try await stage.fetch("second") }
      try await stage.save()
    }
  }

  @Test func `the framework retries when a fault makes the server busy`() async throws {
    try await withStage { stage in
      let before = stage.server.clock.now
      stage.phone.disturb(
        next: .fetchRecords, by: .answers(status: 503, retryAfterSeconds: 2))
      try await stage.fetch()
      #expect(before.duration(to: stage.server.clock.now) == .seconds(2))
      #expect(stage.phone.requestsCount(.fetchRecords) == 2)
    }
  }

  @Test func `a fault can delay a request, even beyond its time-out`() async throws {
    try await withStage { stage in
      let before = stage.server.clock.now
      stage.phone.disturb(next: .fetchRecords, by: .isLate(by: .seconds(3)))
      try await stage.fetch()
      #expect(before.duration(to: stage.server.clock.now) == .seconds(3))
      stage.server.clock.jumpMax = .seconds(600)
      stage.phone.disturb(next: .modifyRecords, by: .isLate(by: .seconds(300)))
      await expect(.networkFailure) { try await stage.save() }
      await expect(.unknownItem) { try await stage.fetch("second") }
    }
  }

  @Test func `requests succeed when the device is online again`() async throws {
    try await withStage { stage in
      stage.phone.isOnline = false
      await expect(.networkUnavailable) { try await stage.save() }
      stage.phone.isOnline = true
      try await stage.save()
    }
  }

  @Test func `requests succeed when the server is available again`() async throws {
    try await withStage { stage in
      stage.server.isAvailable = false
      let error = await failure { try await stage.fetch() }
      #expect(error?.code == .serviceUnavailable)
      #expect(error?.retryAfterSeconds == 30)
      stage.server.isAvailable = true
      try await stage.fetch()
    }
  }
}

@Suite struct `The account of a test` {
  private func expectStatus(
    _ status: CKAccountStatus, _ stage: Stage, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await stage.phone.container(Stage.containerID).accountStatus()
    #expect(found == status, sourceLocation: location)
  }

  @Test func `the account status matches each fault of the account`() async throws {
    try await withStage { stage in
      try await expectStatus(.available, stage)
      stage.alice.isRestricted = true
      try await expectStatus(.restricted, stage)
      stage.alice.isRestricted = false
      stage.alice.isTemporarilyUnavailable = true
      try await expectStatus(.temporarilyUnavailable, stage)
      stage.alice.isTemporarilyUnavailable = false
      try await expectStatus(.available, stage)
      stage.phone.isOnline = false
      try await expectStatus(.couldNotDetermine, stage)
      stage.phone.isOnline = true
      stage.phone.signOut()
      try await expectStatus(.noAccount, stage)
    }
  }

  @Test func `a restricted account affects no other account`() async throws {
    try await withStage { stage in
      stage.alice.isRestricted = true
      let bob = try await stage.server.account("bob@example.com").device("phone")
      try await bob.container(Stage.containerID).privateCloudDatabase.save(
        CKRecord(recordType: "Note"))
    }
  }

  @Test func `an account whose storage is full can delete but not save`() async throws {
    try await withStage { stage in
      try await stage.save("second")
      stage.alice.isStorageFull = true
      let (saves, deletes) = try await stage.database.modifyRecords(
        saving: [Stage.note("third")], deleting: [Stage.recordID("first")], atomically: false)
      #expect(code(saves[Stage.recordID("third")]) == .quotaExceeded)
      #expect(code(deletes[Stage.recordID("first")]) == nil)
      await expect(.unknownItem) { try await stage.fetch("first") }
      try await stage.publicDatabase.save(CKRecord(recordType: "Post"))
      stage.alice.isStorageFull = false
      try await stage.save("third")
    }
  }

  @Test
  func `errors and the list of deletions contain the reason for a zone's deletion`() async throws {
    try await withStage { stage in
      let before = try await stage.database.databaseChanges(since: nil)
      try await stage.alice.purgeZone("Notes", in: Stage.containerID)
      let purged = try await stage.database.databaseChanges(since: before.changeToken)
      #expect(purged.deletions.map(\.reason) == [.purged])
      await expect(.userDeletedZone) { try await stage.save() }
      try await stage.database.save(CKRecordZone(zoneID: Stage.zoneID))
      try await stage.save()
      try await stage.alice.resetEncryptedData(ofZone: "Notes", in: Stage.containerID)
      let reset = try await stage.database.databaseChanges(since: purged.changeToken)
      #expect(reset.deletions.map(\.reason) == [.encryptedDataReset])
      let error = await failure { try await stage.save() }
      #expect(error?.code == .zoneNotFound)
      #expect(error?.userInfo[CKErrorUserDidResetEncryptedDataKey] as? NSNumber == true)
    }
  }

  @Test func `a second user can sign in on a device`() async throws {
    try await withStage { stage in
      let alice = try await stage.phone.container(Stage.containerID).userRecordID()
      let bob = try await stage.server.account("bob@example.com")
      stage.phone.signIn(bob)
      #expect(stage.phone.account?.email == "bob@example.com")
      #expect(try await stage.phone.container(Stage.containerID).userRecordID() != alice)
      await expect(.zoneNotFound) { try await stage.fetch() }
    }
  }
}
