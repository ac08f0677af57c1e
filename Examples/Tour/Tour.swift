import CloudKit

/// Shows how CloudKit keeps two devices of one user in sync.
///
/// Device A saves three notes. Device B fetches them and edits one of them. When device A saves its
/// old version of this note, the server reports a conflict, and device A merges the versions.
@main
struct Tour {
  static let zoneID = CKRecordZone.ID(zoneName: "Tour")

  static func main() async {
    do {
      try await run()
    } catch let error as CKError where error.code == .networkFailure {
      print("No server answers. Start one with scripts/run, and export the settings it prints.")
      exit(1)
    } catch let error as CKError {
      print("The tour ended early: \(error.localizedDescription)")
      exit(1)
    } catch {
      print("The tour ended early: \(error)")
      exit(1)
    }
  }

  static func run() async throws {
    let deviceA = CKContainer.default().privateCloudDatabase
    let deviceB = CKContainer.default().privateCloudDatabase

    let notes = try await step("A makes a zone and saves three notes") {
      _ = try? await deviceA.deleteRecordZone(withID: zoneID)
      try await deviceA.save(CKRecordZone(zoneID: zoneID))
      let notes = ["Milk", "Bread", "Honey"].map(note)
      let results = try await deviceA.modifyRecords(saving: notes, deleting: [])
      return try notes.map { try results.saveResults[$0.recordID]?.get() ?? $0 }
    }

    let (fetched, token) = try await step("B follows the zone's changes") {
      let changes = try await deviceB.recordZoneChanges(inZoneWith: zoneID, since: nil)
      let records = try changes.modificationResultsByID.mapValues { try $0.get().record }
      print("    B has \(records.values.compactMap { $0["title"] as? String }.sorted())")
      return (records, changes.changeToken)
    }

    try await step("B edits a note") {
      guard let milk = fetched[notes[0].recordID] else { throw CKError(.unknownItem) }
      milk["title"] = "Oat milk"
      try await deviceB.save(milk)
    }

    try await step("A saves the same note, is refused, and merges") {
      let mine = notes[0]
      mine["done"] = 1
      do {
        try await deviceA.save(mine)
        print("    This should have been a conflict.")
      } catch let error as CKError where error.code == .serverRecordChanged {
        guard let server = error.serverRecord else { throw error }
        print("    refused: the server has '\(server["title"] as? String ?? "?")'")
        server["done"] = mine["done"]
        let merged = try await deviceA.save(server)
        let title = merged["title"] as? String ?? "?"
        print("    merged: '\(title)', done \(merged["done"] as? Int ?? 0)")
      }
    }

    try await step("B fetches what changed since") {
      let changes = try await deviceB.recordZoneChanges(inZoneWith: zoneID, since: token)
      print("    \(changes.modificationResultsByID.count) record changed")
    }
  }

  static func note(_ title: String) -> CKRecord {
    let note = CKRecord(recordType: "TourNote", recordID: CKRecord.ID(zoneID: zoneID))
    note["title"] = title
    note["created"] = Date()
    return note
  }

  /// Runs one step, and prints its duration.
  @discardableResult
  static func step<Value>(
    _ title: String, _ body: () async throws -> Value
  ) async throws -> Value {
    print(title)
    let clock = ContinuousClock()
    let start = clock.now
    let value = try await body()
    let milliseconds = (clock.now - start) / .milliseconds(1)
    print("    \(String(format: "%.1f", milliseconds)) ms")
    return value
  }
}
