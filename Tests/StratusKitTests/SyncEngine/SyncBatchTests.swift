import CoreLocation
import Foundation
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `A batch of record changes` {
  private func batch(
    _ changes: [CKSyncEngine.PendingRecordZoneChange],
    _ provider: @Sendable (CKRecord.ID) async -> CKRecord?
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes, recordProvider: provider)
  }

  @Test func `a batch of changes has a record for each save, in order`() async throws {
    let batch = try #require(
      await batch([save("A"), delete("B"), save("C")]) {
        CKRecord(recordType: "Note", recordID: $0)
      })
    #expect(batch.recordsToSave.map(\.recordID) == [id("A"), id("C")])
    #expect(batch.recordIDsToDelete == [id("B")])
    #expect(!batch.atomicByZone)
  }

  @Test func `a batch of changes is nil when no change is left`() async {
    #expect(await batch([]) { _ in nil } == nil)
    #expect(await batch([save("A")]) { _ in nil } == nil)
    #expect(await batch([save("A"), delete("B")]) { _ in nil }?.recordIDsToDelete == [id("B")])
  }

  @Test func `a batch of changes has at most as many changes as a request may have`() async throws {
    let asked = Mutex(0)
    let changes = (0..<1_000).map { $0 % 2 == 0 ? save("r\($0)") : delete("r\($0)") }
    let batch = try #require(
      await batch(changes) { recordID in
        asked.withLock { $0 += 1 }
        return CKRecord(recordType: "Note", recordID: recordID)
      })
    #expect(batch.recordsToSave.count + batch.recordIDsToDelete.count == 400)
    #expect(asked.withLock { $0 } == 200)
  }

  @Test func `a batch of changes is no larger than a request may be`() async throws {
    let text = String(repeating: "\"", count: 100_000)
    let batch = try #require(
      await batch((0..<50).map { save("r\($0)") }) { recordID in
        let record = CKRecord(recordType: "Note", recordID: recordID)
        record["text"] = text
        return record
      })
    let prepared = try #require(
      RecordBatch.plan(batch.recordsToSave.map { .save($0, .ifServerRecordUnchanged) }).first.map {
        PreparedBatch($0, isAtomic: false, scope: .private)
      })
    #expect(prepared.sizeBytes <= 2_097_152)
    #expect(prepared.sizeBytes > 1_800_000)
  }

  @Test func `a batch with a record that is too large contains no other change`() async throws {
    let provider: @Sendable (CKRecord.ID) async -> CKRecord? = { recordID in
      let record = CKRecord(recordType: "Note", recordID: recordID)
      let isLarge = recordID.recordName == "large"
      record["text"] = String(repeating: "x", count: isLarge ? 3_000_000 : 10)
      return record
    }
    let before = await batch([save("A"), save("large"), save("B")], provider)
    #expect(before?.recordsToSave.map(\.recordID.recordName) == ["A"])
    let alone = await batch([save("large"), delete("C"), save("B")], provider)
    #expect(alone?.recordsToSave.map(\.recordID.recordName) == ["large"])
    #expect(alone?.recordIDsToDelete == [])
  }

  @Test func `the estimated size of a record is never smaller than the sent size`() throws {
    let record = note("A")
    record["text"] = "a\u{1}\"\\\n\u{E9}"
    record["number"] = -1.2345678901234567e-300
    record["whole"] = Int64.min
    record["date"] = Date(timeIntervalSince1970: 1e9)
    record["data"] = Data(repeating: 7, count: 1_000)
    record["place"] = CLLocation(latitude: -89.123456789, longitude: -179.123456789)
    record["other"] = CKRecord.Reference(recordID: id("B", in: zoneY), action: .deleteSelf)
    record["list"] = ["a", "b", "\u{1}"]
    record.encryptedValues["secret"] = "s\u{1}"
    record["gone"] = "x"
    record["gone"] = nil
    let save = try record.prepareSave(policy: .ifServerRecordUnchanged)
    let prepared = try #require(
      RecordBatch.plan([.save(record, .ifServerRecordUnchanged)]).first.map {
        PreparedBatch($0, isAtomic: false, scope: .private)
      })
    #expect(save.operation.fields != nil)
    #expect(record.sentSizeBytesMax >= prepared.sizeBytes)
    #expect(record.sentSizeBytesMax < prepared.sizeBytes * 2)
  }

  @Test func `a batch that is made from given lists keeps the lists unchanged`() {
    let batch = CKSyncEngine.RecordZoneChangeBatch(
      recordsToSave: (0..<500).map { note("r\($0)") }, recordIDsToDelete: [id("x")],
      atomicByZone: true)
    #expect(batch.recordsToSave.count == 500)
    #expect(batch.recordIDsToDelete == [id("x")])
    #expect(batch.atomicByZone)
  }
}
