import Foundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `An operation` {
  @Test func `an operation calls its blocks in order, with its completion block last`() async {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let journal = Journal()
    let operation = CKModifyRecordsOperation(
      recordsToSave: [note("a"), note("b")], recordIDsToDelete: [id("c")])
    operation.perRecordProgressBlock = { journal.note("\($0.recordID.recordName) \($1)") }
    operation.perRecordSaveBlock = { id, _ in journal.note("saved \(id.recordName)") }
    operation.perRecordDeleteBlock = { id, _ in journal.note("deleted \(id.recordName)") }
    operation.modifyRecordsResultBlock = { _ in journal.note("result") }
    await withCheckedContinuation { continuation in
      operation.completionBlock = {
        journal.note("completion")
        continuation.resume()
      }
      server.database.add(operation)
    }
    #expect(
      journal.all == [
        "a 1.0", "saved a", "b 1.0", "saved b", "deleted c", "result", "completion",
      ])
    #expect(operation.isFinished)
    #expect(!operation.isExecuting)
  }

  @Test func `an operation calls its blocks off the main thread`() async {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
    let journal = Journal()
    operation.modifyRecordsResultBlock = { _ in journal.note("\(Thread.isMainThread)") }
    await server.database.run(operation)
    #expect(journal.all == ["false"])
  }

  @Test func `an operation that is cancelled while it runs reports the cancellation once`() async {
    let server = FakeServer()
    let gate = Gate()
    let reached = Gate()
    server.onRaw(ModifyRecords.path) { (call) async throws(NetworkFailure) in
      reached.open()
      await gate.pass()
      throw .lostAfterSending
    }
    let journal = Journal()
    let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
    operation.perRecordSaveBlock = { _, _ in journal.note("saved") }
    operation.modifyRecordsResultBlock = { journal.note("\(code($0)?.rawValue ?? 0)") }
    async let finished: Void = server.database.run(operation)
    await reached.pass()
    operation.cancel()
    operation.cancel()
    await finished
    gate.open()
    #expect(operation.isCancelled && operation.isFinished)
    #expect(journal.all == ["20"])
  }

  @Test func `an operation that is cancelled before its start sends nothing`() async {
    let server = FakeServer()
    let journal = Journal()
    let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
    operation.fetchRecordsCompletionBlock = { records, error in
      journal.note("\(records == nil) \(code(error) == .operationCancelled)")
    }
    operation.cancel()
    await server.database.run(operation)
    #expect(journal.all == ["true true"])
    #expect(server.calls.isEmpty)
  }

  @Test func `an operation starts after the operations that it depends on have finished`() async {
    let server = FakeServer()
    server.on(ModifyZones.self) { request in
      ListZones.Response(zones: request.operations.map { .zone(ZoneDictionary(zoneID: $0.zoneID)) })
    }
    server.on(ModifyRecords.self, accepted)
    let database = server.database
    let zone = CKModifyRecordZonesOperation(recordZonesToSave: [CKRecordZone(zoneID: zoneZ)])
    let record = CKModifyRecordsOperation(recordsToSave: [note("a")])
    record.addDependency(zone)
    await withCheckedContinuation { continuation in
      record.completionBlock = { continuation.resume() }
      database.add(record)
      database.add(zone)
    }
    #expect(server.calls.map(\.path) == ["private/zones/modify", "private/records/modify"])
  }

  @Test func `hundreds of operations in one queue finish`() async {
    let server = FakeServer()
    server.on(LookupRecords.self) { request in
      RecordsResponse(records: request.items.map { .record(stored($0.recordName)) })
    }
    let journal = Journal()
    let queue = OperationQueue()
    let database = server.database
    let operations = (0..<300).map { number in
      let operation = CKFetchRecordsOperation(recordIDs: [id("r\(number)")])
      operation.database = database
      operation.fetchRecordsResultBlock = { _ in journal.note("done") }
      return operation
    }
    await withCheckedContinuation { continuation in
      for operation in operations { queue.addOperation(operation) }
      queue.addBarrierBlock { continuation.resume() }
    }
    #expect(journal.all.count == 300)
    let areFinished = operations.allSatisfy { $0.isFinished }
    #expect(areFinished)
  }

  @Test func `operations run in order in a queue that takes one operation at a time`() async {
    let server = FakeServer()
    server.on(LookupRecords.self) { request in
      RecordsResponse(records: request.items.map { .record(stored($0.recordName)) })
    }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let database = server.database
    await withCheckedContinuation { continuation in
      for number in 0..<5 {
        let operation = CKFetchRecordsOperation(recordIDs: [id("r\(number)")])
        operation.database = database
        queue.addOperation(operation)
      }
      queue.addBarrierBlock { continuation.resume() }
    }
    let asked = server.calls.compactMap {
      try? $0.request(LookupRecords.Request.self).items.first?.recordName
    }
    #expect(asked == ["r0", "r1", "r2", "r3", "r4"])
  }

  @Test func `an operation has a unique ID`() {
    #expect(CKOperation().operationID != CKOperation().operationID)
  }

  @Test func `an operation gets the container of the database that the app sets`() {
    let database = FakeServer().database
    let operation = CKFetchRecordsOperation()
    operation.database = database
    #expect(operation.container === database.container)
    #expect(operation.configuration.container === database.container)
  }
}
