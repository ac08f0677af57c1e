import CloudKit
import Testing

/// The convenience methods with completion handlers.
@Suite struct `Completion handlers` {
  private typealias Answer<Value> = @Sendable (Value?, (any Error)?) -> Void

  /// Waits for a completion handler that receives a value or an error.
  private func value<Value: Sendable>(
    _ call: (@escaping Answer<Value>) -> Void
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      call { value, error in
        #expect((value == nil) != (error == nil))
        if let value { continuation.resume(returning: value) }
        if let error { continuation.resume(throwing: error) }
      }
    }
  }

  /// Waits for a completion handler that receives a result.
  private func result<Value>(
    _ call: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) async throws -> sending Value {
    let result = await withCheckedContinuation { continuation in
      call { result in
        nonisolated(unsafe) let result = result
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  @Test func `a completion handler receives a record or an error`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let saved = try await value { database.save(note("a"), completionHandler: $0) }
      #expect(saved.recordID == id("a"))
      let found = try await value { database.fetch(withRecordID: id("a"), completionHandler: $0) }
      #expect(found.recordChangeTag == saved.recordChangeTag)
      await expect(.serverRecordChanged) {
        try await value { database.save(note("a"), completionHandler: $0) }
      }
      let gone = try await value { database.delete(withRecordID: id("a"), completionHandler: $0) }
      #expect(gone == id("a"))
      await expect(.unknownItem) {
        try await value { database.fetch(withRecordID: id("a"), completionHandler: $0) }
      }
      await expect(.zoneNotFound) {
        try await value {
          database.delete(withRecordID: id("a", in: zoneY), completionHandler: $0)
        }
      }
    }
  }

  @Test func `a completion handler receives a zone or an error`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      let zone = CKRecordZone(zoneID: zoneZ)
      let saved = try await value { database.save(zone, completionHandler: $0) }
      #expect(saved.zoneID == zoneZ)
      let found = try await value {
        database.fetch(withRecordZoneID: zoneZ, completionHandler: $0)
      }
      #expect(found.zoneID == zoneZ)
      let all = try await value { database.fetchAllRecordZones(completionHandler: $0) }
      #expect(all.count == 2)
      let gone = try await value {
        database.delete(withRecordZoneID: zoneZ, completionHandler: $0)
      }
      #expect(gone == zoneZ)
      await expect(.zoneNotFound) {
        try await value { database.fetch(withRecordZoneID: zoneZ, completionHandler: $0) }
      }
    }
  }

  @Test func `a completion handler receives the result of each item`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let (saves, deletes) = try await result {
        database.modifyRecords(
          saving: [note("a")], deleting: [id("b")], completionHandler: $0)
      }
      #expect(saves.count == 1 && deletes.count == 1)
      let found = try await result {
        database.fetch(
          withRecordIDs: [id("a"), id("b")], desiredKeys: nil, completionHandler: $0)
      }
      #expect(try found[id("a")]?.get() != nil)
      #expect(code(found[id("b")]) == .unknownItem)
      let (made, _) = try await result {
        database.modifyRecordZones(
          saving: [CKRecordZone(zoneID: zoneY)], deleting: [], completionHandler: $0)
      }
      #expect(try made[zoneY]?.get() != nil)
      let zones = try await result {
        database.fetch(withRecordZoneIDs: [zoneZ], completionHandler: $0)
      }
      #expect(try zones[zoneZ]?.get() != nil)
    }
  }

  @Test func `a completion handler receives a page of changes`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a"])
      let zones = try await result {
        database.fetchDatabaseChanges(since: nil, completionHandler: $0)
      }
      #expect(zones.modifications.map(\.zoneID) == [zoneZ])
      let records = try await result {
        database.fetchRecordZoneChanges(inZoneWith: zoneZ, since: nil, completionHandler: $0)
      }
      #expect(Set(records.modificationResultsByID.keys) == [id("a")])
    }
  }

  @Test func `a completion handler receives the current user's record ID`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      let expected = try await device.userRecordID()
      let userID = try await value { device.fetchUserRecordID(completionHandler: $0) }
      #expect(userID == expected)
      let otherUser = try await cloud.device(of: nil)
      await expect(.notAuthenticated) {
        try await value { otherUser.fetchUserRecordID(completionHandler: $0) }
      }
      let status = await withCheckedContinuation { continuation in
        device.accountStatus { status, error in
          #expect(error == nil)
          continuation.resume(returning: status)
        }
      }
      #expect(status == .available)
    }
  }
}
