import CloudKit
import Testing

@Suite struct `The public database` {
  private func ann(_ cloud: Cloud) async throws -> CKDatabase {
    try await cloud.device().publicCloudDatabase
  }

  private func bob(_ cloud: Cloud) async throws -> CKDatabase {
    try await cloud.device(of: "bob@example.org").publicCloudDatabase
  }

  private let recordID = id("a", in: .default)

  @Test func `all users can read the public database`() async throws {
    try await withCloud { cloud in
      try await ann(cloud).save(note("a", in: .default, title: "x"))
      let userID = try await cloud.device().userRecordID()
      for database in [try await bob(cloud), try await cloud.device(of: nil).publicCloudDatabase] {
        let record = try await database.record(for: recordID)
        #expect(record["title"] as? String == "x")
        #expect(record.creatorUserRecordID == userID)
        #expect(record.lastModifiedUserRecordID == userID)
      }
      let own = try await ann(cloud).record(for: recordID)
      #expect(own.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    }
  }

  @Test func `only the creator of a public record can change or delete it`() async throws {
    try await withCloud { cloud in
      try await ann(cloud).save(note("a", in: .default, title: "x"))
      let database = try await bob(cloud)
      let record = try await database.record(for: recordID)
      record["title"] = "y"
      await expect(.permissionFailure) { try await database.save(record) }
      await expect(.permissionFailure) { try await database.deleteRecord(withID: recordID) }
      let (results, _) = try await database.modifyRecords(
        saving: [record], deleting: [], savePolicy: .changedKeys)
      #expect(code(results[recordID]) == .permissionFailure)
      try await database.save(note("b", in: .default))
      #expect(try await ann(cloud).record(for: recordID)["title"] as? String == "x")
    }
  }

  @Test func `the public database refuses writes without a signed-in user`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device(of: nil).publicCloudDatabase
      await expect(.notAuthenticated) { try await database.save(note("a", in: .default)) }
      await expect(.notAuthenticated) { try await database.deleteRecord(withID: recordID) }
    }
  }

  @Test func `the public database and the private database have separate records`() async throws {
    try await withCloud { cloud in
      try await ann(cloud).save(note("a", in: .default, title: "public"))
      let device = try await cloud.device()
      await expect(.unknownItem) {
        try await device.privateCloudDatabase.record(for: recordID)
      }
      try await device.privateCloudDatabase.save(note("a", in: .default, title: "private"))
      #expect(try await ann(cloud).record(for: recordID)["title"] as? String == "public")
    }
  }

  @Test func `the public database has only the default zone`() async throws {
    try await withCloud { cloud in
      let database = try await ann(cloud)
      #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
      await expect(.zoneNotFound) { try await database.record(for: id("a")) }
    }
  }
}
