import CloudKit
import StratusTransport
import Testing

@Suite struct `A user` {
  @Test func `a user has the same record ID in a container on every device`() async throws {
    try await withCloud { cloud in
      let name = try await cloud.device().userRecordID().recordName
      #expect(name.wholeMatch(of: #/_[0-9a-f]{32}/#) != nil)
      #expect(try await cloud.device().userRecordID().recordName == name)
      let other = try await cloud.device(of: "bob@example.org").userRecordID().recordName
      #expect(other != name)
    }
  }

  @Test func `a user has a record in the public and in the private database`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      let userID = try await device.userRecordID()
      for database in [device.publicCloudDatabase, device.privateCloudDatabase] {
        let record = try await database.record(for: userID)
        #expect(record.recordType == CKRecord.SystemType.userRecord)
        #expect(record.allKeys().isEmpty)
        record["nickname"] = "\(database.databaseScope.rawValue)"
        try await database.save(record)
      }
      let found = try await cloud.device().publicCloudDatabase.record(for: userID)
      #expect(found["nickname"] as? String == "1")
      let secret = try await cloud.device().privateCloudDatabase.record(for: userID)
      #expect(secret["nickname"] as? String == "2")
    }
  }

  @Test func `users can fetch their own user record without its ID`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      let userID = try await device.userRecordID()
      let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
      operation.recordIDs = [id("ignored")]
      let journal = Journal()
      operation.perRecordResultBlock = { recordID, result in
        journal.note("\(recordID == userID) \((try? result.get())?.recordType ?? "none")")
      }
      operation.fetchRecordsResultBlock = { journal.note("end \(code($0) == nil)") }
      await device.publicCloudDatabase.run(operation)
      #expect(journal.all == ["true Users", "end true"])
    }
  }

  @Test func `a record's creator ID is the ID of the creator's user record`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      let database = device.publicCloudDatabase
      let record = try await database.save(note("a", in: .default))
      let creatorID = try #require(record.creatorUserRecordID)
      let user = try await database.record(for: creatorID)
      #expect(user.recordType == CKRecord.SystemType.userRecord)
      #expect(user.recordID == (try await device.userRecordID()))
    }
  }

  @Test func `users can change only their own user record`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      try await device.publicCloudDatabase.save(note("a", in: .default))
      let ann = try await device.userRecordID()
      let bob = try await cloud.device(of: "bob@example.org").publicCloudDatabase
      let record = try await bob.record(for: ann)
      record["nickname"] = "not bob's business"
      await expect(.permissionFailure) { try await bob.save(record) }
    }
  }

  @Test func `a user cannot create or delete a user record`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      let userID = try await device.userRecordID()
      let database = device.privateCloudDatabase
      await expect(.invalidArguments) {
        try await database.save(CKRecord(recordType: "Users", recordID: id("me", in: .default)))
      }
      await expect(.invalidArguments) { try await database.deleteRecord(withID: userID) }
    }
  }

  @Test
  func `accountStatus distinguishes signed-in, missing and unreachable accounts`() async throws {
    try await withCloud { cloud in
      #expect(try await cloud.device().accountStatus() == .available)
      #expect(try await cloud.device(of: nil).accountStatus() == .noAccount)
      let offline = cloud.network([("users/caller", .fails(.notConnected))])
      #expect(try await cloud.device(by: offline).accountStatus() == .couldNotDetermine)
      let otherUser = try await cloud.device(Cloud.containerID, webAuthToken: "forged")
      #expect(try await otherUser.accountStatus() == .noAccount)
    }
  }

  @Test func `without a sign-in, a device cannot use the private database`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device(of: nil)
      let database = device.privateCloudDatabase
      await expect(.notAuthenticated) { try await device.userRecordID() }
      await expect(.notAuthenticated) { try await database.save(note("a")) }
      await expect(.notAuthenticated) { try await database.record(for: id("a")) }
      await expect(.notAuthenticated) { try await database.deleteRecord(withID: id("a")) }
      await expect(.notAuthenticated) {
        try await database.save(CKRecordZone(zoneID: zoneZ))
      }
      await expect(.notAuthenticated) { try await database.allRecordZones() }
      await expect(.notAuthenticated) { try await database.databaseChanges(since: nil) }
      await expect(.notAuthenticated) {
        try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      }
    }
  }
}
