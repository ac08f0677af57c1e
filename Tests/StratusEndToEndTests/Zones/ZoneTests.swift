import CloudKit
import Testing

@Suite struct `A zone of the server` {
  private let all: CKRecordZone.Capabilities = [
    .fetchChanges, .atomic, .sharing, .zoneWideSharing,
  ]

  @Test func `a custom zone has all capabilities, and the default zone has none`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      let saved = try await database.save(CKRecordZone(zoneName: "Z"))
      #expect(saved.zoneID == zoneZ)
      #expect(saved.zoneID.ownerName == CKCurrentUserDefaultName)
      #expect(saved.capabilities == all)
      #expect(try await database.recordZone(for: zoneZ).capabilities == all)
      let zone = try await database.recordZone(for: CKRecordZone.default().zoneID)
      #expect(zone.capabilities == [])
    }
  }

  @Test func `a zone can be saved again and keeps its records`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a"])
      try await database.save(CKRecordZone(zoneID: zoneZ))
      #expect(try await database.record(for: id("a")).recordID == id("a"))
    }
  }

  @Test func `the list of zones contains the default zone and the custom zones`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let zones = try await database.allRecordZones()
      #expect(Set(zones.map(\.zoneID)) == [zoneZ, .default])
    }
  }

  @Test func `a zone is deleted with its records`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a"])
      #expect(try await database.deleteRecordZone(withID: zoneZ) == zoneZ)
      await expect(.zoneNotFound) { try await database.record(for: id("a")) }
      await expect(.zoneNotFound) { try await database.recordZone(for: zoneZ) }
      await expect(.zoneNotFound) { try await database.deleteRecordZone(withID: zoneZ) }
      try await database.save(CKRecordZone(zoneID: zoneZ))
      await expect(.unknownItem) { try await database.record(for: id("a")) }
    }
  }

  @Test func `an operation on several zones has a result for each zone`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let found = try await database.recordZones(for: [zoneZ, zoneY])
      #expect(try found[zoneZ]?.get().zoneID == zoneZ)
      #expect(code(found[zoneY]) == .zoneNotFound)
      let (saves, deletes) = try await database.modifyRecordZones(
        saving: [CKRecordZone(zoneID: zoneY)],
        deleting: [zoneZ, CKRecordZone.ID(zoneName: "Nowhere")])
      #expect(try saves[zoneY]?.get().zoneID == zoneY)
      try deletes[zoneZ]?.get()
      #expect(code(deletes[CKRecordZone.ID(zoneName: "Nowhere")]) == .zoneNotFound)
    }
  }

  @Test func `a zone cannot be created in the public or the shared database`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      for database in [device.publicCloudDatabase, device.sharedCloudDatabase] {
        await expect(.badDatabase) { try await database.save(CKRecordZone(zoneID: zoneZ)) }
      }
    }
  }

  @Test func `a zone with an illegal name is refused`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      await expect(.invalidArguments) {
        try await database.save(CKRecordZone(zoneName: "_private"))
      }
    }
  }

  @Test func `the default zone cannot be deleted`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      await expect(.invalidArguments) {
        try await database.deleteRecordZone(withID: CKRecordZone.default().zoneID)
      }
    }
  }

  @Test func `an operation with more than 200 zones fails with limitExceeded`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      let zones = (0..<201).map { CKRecordZone(zoneName: "zone\($0)") }
      await expect(.limitExceeded) {
        try await database.modifyRecordZones(saving: zones, deleting: [])
      }
      await expect(.limitExceeded) { try await database.recordZones(for: zones.map(\.zoneID)) }
    }
  }

  @Test func `a zone in a private database belongs to one user only`() async throws {
    try await withCloud { cloud in
      _ = try await cloud.zone()
      let ann = try await cloud.device().userRecordID().recordName
      let bob = try await cloud.device(of: "bob@example.org").privateCloudDatabase
      await expect(.zoneNotFound) { try await bob.recordZone(for: zoneZ) }
      let foreign = CKRecordZone.ID(zoneName: "Z", ownerName: ann)
      await expect(.zoneNotFound) { try await bob.record(for: id("a", in: foreign)) }
    }
  }

  @Test func `the owner's name can be part of a zone ID`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let ann = try await cloud.device().userRecordID().recordName
      let zoneID = CKRecordZone.ID(zoneName: "Z", ownerName: ann)
      let record = note("a", in: zoneID, title: "x")
      try await database.save(record)
      #expect(try await database.record(for: id("a"))["title"] as? String == "x")
    }
  }
}
