import CloudKit
import StratusTransport
import Testing

/// A user who has lost the account key begins with a new key.
@Suite struct `A reset of encrypted data` {
  private func reset(_ cloud: Cloud, _ keys: KeyFolder, on device: String) async throws -> Int {
    try await cloud.accountKeys(device, keys).reset { count in
      [UInt8](repeating: UInt8(device.utf8.first ?? 0), count: count)
    }.zoneCount
  }

  private func didReset(_ error: CKError?) -> Bool? {
    (error?.userInfo[CKErrorUserDidResetEncryptedDataKey] as? NSNumber)?.boolValue
  }

  @Test
  func `a reset of encrypted data deletes the zones with keys, and clients learn the reason`()
    async throws
  {
    try await withTwoDevices { cloud, keys, a, _ in
      try await a.save(CKRecordZone(zoneID: zoneY))
      try await a.saveNotes(["y"], in: zoneY)
      let before = try await a.databaseChanges(since: nil)
      #expect(try await reset(cloud, keys, on: "c") == 1)

      let changes = try await a.databaseChanges(since: before.changeToken)
      #expect(changes.deletions.map(\.zoneID) == [zoneZ])
      #expect(changes.deletions.map(\.reason) == [.encryptedDataReset])
      #expect(changes.modifications.isEmpty)
      #expect(
        didReset(await expect(.zoneNotFound) { try await a.record(for: id("first")) }) == true)
      #expect(didReset(await expect(.zoneNotFound) { try await a.save(note("n")) }) == true)
      #expect(
        didReset(await expect(.zoneNotFound) { try await a.recordZone(for: zoneZ) }) == true)
      #expect(
        didReset(
          await expect(.zoneNotFound) {
            try await a.recordZoneChanges(inZoneWith: zoneZ, since: nil)
          }) == true)
      let never = CKRecordZone.ID(zoneName: "never")
      #expect(didReset(await expect(.zoneNotFound) { try await a.recordZone(for: never) }) == nil)
      #expect(try await a.record(for: id("y", in: zoneY))["title"] == "y")
    }
  }

  @Test
  func `a fetch reports a reset of encrypted data as a deletion if the app handles no resets`()
    async throws
  {
    try await withTwoDevices { cloud, keys, a, _ in
      let before = try await a.databaseChanges(since: nil)
      _ = try await reset(cloud, keys, on: "c")
      for hasBlock in [true, false] {
        let journal = Journal()
        let operation = CKFetchDatabaseChangesOperation(
          previousServerChangeToken: before.changeToken)
        operation.recordZoneWithIDWasDeletedBlock = { journal.note("deleted \($0.zoneName)") }
        if hasBlock {
          operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = {
            journal.note("reset \($0.zoneName)")
          }
        }
        await a.run(operation)
        #expect(journal.all == [hasBlock ? "reset Z" : "deleted Z"])
      }
    }
  }

  @Test
  func `an app can create and fill its zone again after a reset of encrypted data`() async throws {
    try await withTwoDevices { cloud, keys, a, _ in
      _ = try await reset(cloud, keys, on: "c")
      let c = try await cloud.device("c", keys)
      try await c.save(CKRecordZone(zoneID: zoneZ))
      try await c.save(secret("first", "again"))
      #expect(try await c.record(for: id("first")).text == "again")
      // The old device does not have the new account key.
      #expect(try await a.record(for: id("first")).unreadableEncryptedKeys == ["text"])
      await expect(.notAuthenticated) { try await a.save(secret("x", "x")) }
      try keys.move(from: "c", to: "a")
      #expect(try await a.record(for: id("first")).text == "again")
      try await a.save(secret("x", "x"))
      #expect(try await c.record(for: id("x")).text == "x")
    }
  }

  @Test
  func `a reset keeps the default zone, whose encrypted fields can be written again`()
    async throws
  {
    try await withTwoDevices { cloud, keys, a, _ in
      let zoneID = CKRecordZone.ID.default
      try await a.save(secret("d", "lost", in: zoneID))
      #expect(try await reset(cloud, keys, on: "c") == 1)
      let c = try await cloud.device("c", keys)
      let record = try await c.record(for: id("d", in: zoneID))
      #expect(record["title"] == "plain")
      #expect(record.unreadableEncryptedKeys == ["text"])
      record.encryptedValues["text"] = "found"
      try await c.save(record)
      #expect(record.unreadableEncryptedKeys == [])
      #expect(try await c.record(for: id("d", in: zoneID)).text == "found")
    }
  }

  @Test
  func `a reset creates another account key even if the device has the old one`() async throws {
    try await withTwoDevices { cloud, keys, _, _ in
      let account = try await cloud.accountKeys("a", keys)
      guard case .present(let old) = try await account.standing() else {
        Issue.record("the device has the key")
        return
      }
      _ = try await reset(cloud, keys, on: "a")
      guard case .present(let new) = try await account.standing() else {
        Issue.record("the device has the new key")
        return
      }
      #expect(old != new)
      #expect(try await cloud.accountKeys("b", keys).standing() == .missing)
    }
  }
}

@Suite struct `The encryption scope of a zone` {
  @Test func `the encryption scope of a zone is stored and cannot be changed`() async throws {
    try await withCloud { cloud in
      let here = try await cloud.device().privateCloudDatabase
      let there = try await cloud.device().privateCloudDatabase
      #expect(CKRecordZone(zoneID: zoneZ).encryptionScope == .perRecord)
      let zone = CKRecordZone(zoneID: zoneZ)
      zone.encryptionScope = .perZone
      #expect(try await here.save(zone).encryptionScope == .perZone)
      #expect(try await there.recordZone(for: zoneZ).encryptionScope == .perZone)
      #expect(
        try await there.allRecordZones().first { $0.zoneID == zoneZ }?.encryptionScope
          == .perZone)
      // An app that saves the zone again does not change its scope.
      #expect(try await there.save(CKRecordZone(zoneID: zoneZ)).encryptionScope == .perZone)
      let other = CKRecordZone(zoneID: zoneZ)
      other.encryptionScope = .perRecord
      await expect(.invalidArguments) { try await there.save(other) }
      #expect(try await there.recordZone(for: zoneZ).encryptionScope == .perZone)
    }
  }
}
