import CloudKit
import Testing

@Suite struct `An operation against the server` {
  @Test
  func `an operation waits until the operations that it depends on have finished`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      let zones = CKModifyRecordZonesOperation(
        recordZonesToSave: [CKRecordZone(zoneID: zoneZ)], recordZoneIDsToDelete: nil)
      let save = CKModifyRecordsOperation(recordsToSave: [note("a")], recordIDsToDelete: nil)
      let changes = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneZ], configurationsByRecordZoneID: nil)
      let journal = Journal()
      zones.modifyRecordZonesResultBlock = { journal.note("zones \(code($0) == nil)") }
      save.perRecordSaveBlock = { _, result in journal.note("saved \(code(result) == nil)") }
      changes.recordWasChangedBlock = { recordID, _ in journal.note(recordID.recordName) }
      save.addDependency(zones)
      changes.addDependency(save)
      database.add(save)
      async let end: Void = database.run(changes)
      database.add(zones)
      await end
      #expect(journal.all == ["zones true", "saved true", "a"])
    }
  }

  @Test
  func `an operation that is cancelled while it runs ends with operationCancelled`() async throws {
    try await withCloud { cloud in
      let gate = Gate()
      let network = cloud.network([("records/modify", .waits(gate))])
      let database = try await cloud.zone(by: network)
      let operation = CKModifyRecordsOperation(
        recordsToSave: [note("a")], recordIDsToDelete: nil)
      let journal = Journal()
      operation.perRecordSaveBlock = { _, _ in journal.note("record") }
      operation.modifyRecordsResultBlock = { journal.note("end \(code($0)?.rawValue ?? 0)") }
      async let end: Void = database.run(operation)
      await gate.arrival()
      operation.cancel()
      await end
      #expect(journal.all == ["end 20"])
      #expect(operation.isCancelled && operation.isFinished)
    }
  }

  @Test
  func `an operation that was cancelled before its start ends with operationCancelled`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
      let journal = Journal()
      operation.fetchRecordsResultBlock = { journal.note("end \(code($0)?.rawValue ?? 0)") }
      operation.cancel()
      await database.run(operation)
      #expect(journal.all == ["end 20"])
    }
  }

  @Test
  func `an operation is cancelled when the task that waits for it is cancelled`() async throws {
    try await withCloud { cloud in
      let gate = Gate()
      let network = cloud.network([("records/lookup", .waits(gate))])
      let database = try await cloud.zone(by: network)
      let task = Task { try await database.record(for: id("a")) }
      await gate.arrival()
      task.cancel()
      await expect(.operationCancelled) { try await task.value }
    }
  }

  @Test func `an operation reports its progress, its records and its end`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let save = CKModifyRecordsOperation(
        recordsToSave: [note("a")], recordIDsToDelete: [id("b")])
      let journal = Journal()
      save.perRecordProgressBlock = { record, progress in
        journal.note("\(record.recordID.recordName) \(progress)")
      }
      save.perRecordSaveBlock = { recordID, _ in journal.note("+" + recordID.recordName) }
      save.perRecordDeleteBlock = { recordID, _ in journal.note("-" + recordID.recordName) }
      save.modifyRecordsResultBlock = { _ in journal.note("end") }
      await database.run(save)
      #expect(journal.all == ["a 1.0", "+a", "-b", "end"])
      let fetch = CKFetchRecordsOperation(recordIDs: [id("a"), id("b")])
      fetch.perRecordProgressBlock = { recordID, progress in
        journal.note("\(recordID.recordName) \(progress)")
      }
      fetch.perRecordResultBlock = { journal.note("\($0.recordName) \(code($1)?.rawValue ?? 0)") }
      fetch.fetchRecordsResultBlock = { _ in journal.note("end") }
      await database.run(fetch)
      #expect(journal.all.dropFirst(4) == ["a 1.0", "a 0", "b 11", "end"])
    }
  }

  @Test func `deprecated blocks of a save get the errors of all items in one error`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["taken"])
      let journal = Journal()
      let save = CKModifyRecordsOperation(
        recordsToSave: [note("a"), note("taken")], recordIDsToDelete: [])
      save.perRecordCompletionBlock = { record, error in
        journal.note("\(record.recordID.recordName) \(code(error)?.rawValue ?? 0)")
      }
      save.modifyRecordsCompletionBlock = { saved, deleted, error in
        let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
        journal.note("\(saved?.count ?? -1) \(deleted?.count ?? -1) \(code(error)?.rawValue ?? 0)")
        journal.note("\(code(errors[id("taken")])?.rawValue ?? 0)")
        journal.note("\(code(errors[id("a")])?.rawValue ?? 0)")
      }
      await database.run(save)
      #expect(Set(journal.all.prefix(2)) == ["a 22", "taken 14"])
      #expect(journal.all.dropFirst(2) == ["0 0 2", "14", "22"])
    }
  }

  @Test
  func `deprecated blocks of a fetch get the errors of all items in one error`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a"])
      let journal = Journal()
      let fetch = CKFetchRecordsOperation(recordIDs: [id("a"), id("b")])
      fetch.fetchRecordsCompletionBlock = { records, error in
        let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
        journal.note("\(records?.keys.map(\.recordName) ?? []) \(code(error)?.rawValue ?? 0)")
        journal.note("\(code(errors[id("b")])?.rawValue ?? 0)")
      }
      await database.run(fetch)
      let zones = CKFetchRecordZonesOperation(recordZoneIDs: [zoneZ, zoneY])
      zones.fetchRecordZonesCompletionBlock = { zones, error in
        let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
        journal.note("\(zones?.count ?? -1) \(code(errors[zoneY])?.rawValue ?? 0)")
      }
      await database.run(zones)
      let modify = CKModifyRecordZonesOperation(
        recordZonesToSave: nil, recordZoneIDsToDelete: [zoneY])
      modify.modifyRecordZonesCompletionBlock = { _, _, error in
        let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
        journal.note("\(code(error)?.rawValue ?? 0) \(code(errors[zoneY])?.rawValue ?? 0)")
      }
      await database.run(modify)
      #expect(journal.all == [#"["a"] 2"#, "11", "1 26", "2 26"])
    }
  }

  @Test
  func `an operation without a database uses its container's private database`() async throws {
    try await withCloud { cloud in
      let device = try await cloud.device()
      let zones = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
      let journal = Journal()
      zones.perRecordZoneResultBlock = { zoneID, _ in journal.note(zoneID.zoneName) }
      await withCheckedContinuation { continuation in
        zones.completionBlock = { continuation.resume() }
        device.add(zones)
      }
      #expect(journal.all == ["_defaultZone"])
    }
  }

  @Test func `an operation runs in an operation queue of the app`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let save = CKModifyRecordsOperation(recordsToSave: [note("a")], recordIDsToDelete: nil)
      let fetch = CKFetchRecordsOperation(recordIDs: [id("a")])
      let journal = Journal()
      save.database = database
      fetch.database = database
      fetch.perRecordResultBlock = { journal.note("\($0.recordName) \(code($1)?.rawValue ?? 0)") }
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      await withCheckedContinuation { continuation in
        fetch.completionBlock = { continuation.resume() }
        queue.addOperation(save)
        queue.addOperation(fetch)
      }
      #expect(journal.all == ["a 0"])
    }
  }

  @Test func `a subclass can prepare an operation in its main method`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a"])
      let operation = LateFetch()
      await database.run(operation)
      #expect(operation.journal.all == ["a"])
      #expect(operation.isFinished)
    }
  }
}

/// A fetch whose main method sets its record IDs.
private final class LateFetch: CKFetchRecordsOperation, @unchecked Sendable {
  let journal = Journal()

  override func main() {
    recordIDs = [id("a")]
    perRecordResultBlock = { [journal] recordID, result in
      if code(result) == nil { journal.note(recordID.recordName) }
    }
    super.main()
  }
}
