import Foundation
import StratusTesting
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `Server data from the last release before sharing` {
  @Test(arguments: [false, true])
  func `a server with old data has the records with every value and file`(isReopened: Bool)
    async throws
  {
    try await withGoldenServer(isReopened: isReopened) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let all = try await database.record(for: GoldenFiles.id("all-1"))
      #expect(all.recordChangeTag == (try GoldenFiles.text("changeTag.Notes.all-1")))
      #expect(all.creationDate == GoldenFiles.start.addingTimeInterval(60))
      #expect(all.parent?.recordID == GoldenFiles.id("folder-1"))
      #expect(Set(all.allKeys()) == GoldenValues.fieldNames)
      GoldenValues.expectFields(of: all, isWhole: false)
      #expect(try (all["photo"] as? CKAsset)?.text == "photo bytes")
      let photos = try #require(all["photos"] as? [CKAsset])
      #expect(try photos.map { try $0.text } == ["one", "photo bytes"])
    }
  }

  @Test(arguments: [false, true])
  func `a server with old data has encrypted values that the old key decrypts`(isReopened: Bool)
    async throws
  {
    try await withGoldenServer(isReopened: isReopened) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let secret = try await database.record(for: GoldenFiles.id("secret-1"))
      GoldenValues.expectSecrets(of: secret, isWhole: false)
      let places = CKRecordZone.ID(zoneName: "Places")
      let scoped = try await database.record(for: GoldenFiles.id("scoped-secret", in: places))
      #expect(scoped.encryptedValues["secretText"] as? String == "im Ort")
      secret.encryptedValues["secretText"] = "neu"
      #expect(try await database.save(secret).encryptedValues["secretText"] as? String == "neu")
    }
  }

  @Test
  func `a server with old data has exactly the zones and records of the earlier release`()
    async throws
  {
    try await withGoldenServer { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let zones = try await database.allRecordZones()
      let names = Set(zones.map(\.zoneID.zoneName))
      #expect(names == ["_defaultZone", "Notes", "Places", "Again", "Empty", "Late"])
      let scopes = zones.filter { $0.encryptionScope == .perZone }.map(\.zoneID.zoneName)
      #expect(scopes == ["Places"])
      let expected: [String: Set<String>] = [
        "Notes": [
          "all-1", "secret-1", "folder-1", "note-1", "note-2", "note-4", "note-5", "note-6",
          "note-7", "child-1", "big-1", "big-2", "interrupted-1",
        ],
        "Places": ["in-Places", "scoped-secret"], "Again": ["again-2"], "Empty": [], "Late": [],
      ]
      for (zone, names) in expected {
        let page = try await database.recordZoneChanges(
          inZoneWith: CKRecordZone.ID(zoneName: zone), since: nil)
        #expect(Set(page.modificationResultsByID.keys.map(\.recordName)) == names, "\(zone)")
        #expect(!page.moreComing)
      }
      let loose = try await database.record(for: GoldenFiles.id("loose-1", in: .default))
      #expect(loose["title"] as? String == "Loose")
    }
  }

  @Test
  func `a server with old data has the public records with their creators and files`() async throws
  {
    try await withGoldenServer { golden in
      let database = try golden.container(of: "bob").publicCloudDatabase
      let post = try await database.record(for: CKRecord.ID(recordName: "post-1"))
      #expect(post["title"] as? String == "Public")
      #expect(try (post["photo"] as? CKAsset)?.text == "photo bytes")
      let alice = try GoldenFiles.text("userRecordName.alice")
      #expect(post.creatorUserRecordID?.recordName == alice)
      let own = try await database.record(for: CKRecord.ID(recordName: "post-2"))
      #expect(own.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
      let bobs = try await golden.container(of: "bob").privateCloudDatabase.record(
        for: GoldenFiles.id("bobs-1"))
      #expect(bobs["title"] as? String == "Bob's")
    }
  }

  @Test
  func `a server with old data has the production schema and the second container`() async throws {
    try await withGoldenServer { golden in
      let production = try golden.container(of: "alice", in: .production).privateCloudDatabase
      let deployed = try await production.record(for: GoldenFiles.id("deployed-1"))
      #expect(deployed["title"] as? String == "Deployed")
      deployed["title"] = "Changed"
      _ = try await production.save(deployed)
      await #expect(throws: CKError.self) {
        _ = try await production.save(
          CKRecord(recordType: "Unknown", recordID: GoldenFiles.id("unknown-1")))
      }
      let second = try golden.container(GoldenFiles.second, of: "alice").privateCloudDatabase
      let other = try await second.record(for: CKRecord.ID(recordName: "other-1"))
      #expect(other.recordType == "Other")
    }
  }

  @Test
  func `a server with old data still has the accounts, containers and settings`() async throws {
    try await withGoldenServer { golden in
      let accounts = try await golden.manage(ListAccounts.self, .init()).accounts
      let standing = Dictionary(uniqueKeysWithValues: accounts.map { ($0.email, $0.isDisabled) })
      #expect(standing["alice@example.org"] == false)
      #expect(standing["bob@example.org"] == false)
      #expect(standing["carol@example.org"] == true)
      let containers = try await golden.manage(ListContainers.self, .init()).containerIDs
      #expect(containers == [GoldenFiles.golden, GoldenFiles.second])
      let settings = try await golden.manage(
        ConfigureContainer.self,
        .init(
          containerID: GoldenFiles.golden, environment: .development,
          allowsQueryExtensions: nil, requiresReferenceTargets: nil))
      #expect(settings.allowsQueryExtensions)
      #expect(settings.requiresReferenceTargets)
    }
  }

  @Test
  func `a server with old data accepts earlier sign-ins and keeps the user record names`()
    async throws
  {
    try await withGoldenServer { golden in
      for user in ["alice", "bob"] {
        let id = try await golden.container(of: user).userRecordID()
        #expect(id.recordName == (try GoldenFiles.text("userRecordName.\(user)")))
      }
      let carol = try golden.container(of: "carol")
      #expect(try await carol.accountStatus() == .restricted)
      let error = await #expect(throws: CKError.self) {
        _ = try await carol.privateCloudDatabase.allRecordZones()
      }
      #expect(error?.code == .managedAccountRestricted)
    }
  }

  @Test func `a server with old data cascades a deletion to the referring records`() async throws {
    try await withGoldenServer { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let all = try await database.record(for: GoldenFiles.id("all-1"))
      all.parent = nil
      all["pointer"] = nil
      all["pointers"] = nil
      _ = try await database.save(all)
      _ = try await database.deleteRecord(withID: GoldenFiles.id("folder-1"))
      try await golden.server.continueCascades()
      let error = await #expect(throws: CKError.self) {
        _ = try await database.record(for: GoldenFiles.id("child-1"))
      }
      #expect(error?.code == .unknownItem)
    }
  }

  @Test(arguments: ["early", "late"])
  func `a server with old data accepts saves of archived records`(time: String) async throws {
    try await withGoldenServer { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let record = try GoldenFiles.object("record-edited-\(time)", of: CKRecord.self)
      // The files are no longer in the device's cache, but the server has them.
      _ = try await database.save(record)
      let saved = try await database.record(for: GoldenFiles.id("all-1"))
      #expect(saved["text"] as? String == "changed here")
      #expect(saved["fraction"] == nil)
      #expect(saved["added"] as? Int == 1)
      #expect(saved.parent == nil)
      #expect(try (saved["photo"] as? CKAsset)?.text == "photo bytes")
      let old = try GoldenFiles.object("record-edited-\(time)", of: CKRecord.self)
      let error = await #expect(throws: CKError.self) { _ = try await database.save(old) }
      #expect(error?.code == .serverRecordChanged)
    }
  }

  @Test
  func `a server with old data accepts an operation that resumes after its process died`()
    async throws
  {
    try await withGoldenServer { golden in
      let container = try golden.container(of: "alice")
      let ids = try await container.allLongLivedOperationIDs()
      #expect(ids.contains("interrupted"))
      let found = try await container.longLivedOperation(for: "interrupted")
      let operation = try #require(found as? CKModifyRecordsOperation)
      let results = AsyncStream.makeStream(of: CKError.Code?.self)
      operation.perRecordSaveBlock = { _, result in
        if case .failure(let error as CKError) = result {
          results.continuation.yield(error.code)
        } else {
          results.continuation.yield(nil)
        }
      }
      operation.modifyRecordsResultBlock = { result in
        if case .failure(let error as CKError) = result { results.continuation.yield(error.code) }
        results.continuation.finish()
      }
      container.privateCloudDatabase.add(operation)
      var codes: [CKError.Code?] = []
      for await code in results.stream { codes.append(code) }
      // The server has already carried out the save and must not repeat it.
      #expect(codes == [.serverResponseLost])
      let record = try await container.privateCloudDatabase.record(
        for: GoldenFiles.id("interrupted-1"))
      #expect(try (record["photo"] as? CKAsset)?.text == "interrupted bytes")
    }
  }
}
