import Foundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `A fetch of records` {
  private func server() -> FakeServer {
    let server = FakeServer()
    server.on(LookupRecords.self) { request in
      RecordsResponse(
        records: request.items.map { item in
          if item.recordName == "missing" {
            return .failure(RecordFailure(recordName: "missing", error: refusal(.notFound)))
          }
          let zone = request.zoneID?.zoneName ?? ZoneID.defaultZoneName
          return .record(stored(item.recordName, zone: zone))
        })
    }
    return server
  }

  @Test func `a fetch returns a result for each record`() async throws {
    let results = try await server().database.records(for: [id("a"), id("missing"), id("a")])
    #expect(results.count == 2)
    #expect(try results[id("a")]?.get().recordID == id("a"))
    #expect(code(results[id("missing")]) == .unknownItem)
  }

  @Test func `a fetch of one record throws the record's error`() async throws {
    let database = server().database
    await #expect { try await database.record(for: id("missing")) } throws: {
      code($0) == .unknownItem
    }
    #expect(try await database.record(for: id("a")).recordChangeTag == "t1")
  }

  @Test func `a fetch calls its completion handler with the record or the error`() async {
    let database = server().database
    let found = await withCheckedContinuation { continuation in
      database.fetch(withRecordID: id("a")) { record, error in
        continuation.resume(returning: record?.recordID.recordName ?? "none")
      }
    }
    let missing = await withCheckedContinuation { continuation in
      database.fetch(withRecordID: id("missing")) { record, error in
        continuation.resume(returning: record == nil ? code(error) : nil)
      }
    }
    #expect(found == "a")
    #expect(missing == .unknownItem)
  }

  @Test func `a fetch requests the desired keys, zone by zone`() async throws {
    let server = server()
    let zoneY = CKRecordZone.ID(zoneName: "Y")
    _ = try await server.database.records(
      for: [id("a"), id("b", in: zoneY), id("c")], desiredKeys: ["title"])
    let requests = try server.calls.map { try $0.request(LookupRecords.Request.self) }
    #expect(requests.map(\.zoneID?.zoneName) == ["Z", "Y"])
    #expect(requests.map { $0.items.map(\.recordName) } == [["a", "c"], ["b"]])
    #expect(requests.map(\.selection.desiredKeys) == [["title"], ["title"]])
  }

  @Test func `a fetch does not call the legacy blocks when the modern blocks are set`() async {
    let journal = Journal()
    let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
    operation.perRecordProgressBlock = { journal.note("\($0.recordName) \($1)") }
    operation.perRecordCompletionBlock = { _, _, _ in journal.note("legacy record") }
    operation.perRecordResultBlock = { id, _ in journal.note(id.recordName) }
    operation.fetchRecordsCompletionBlock = { _, _ in journal.note("legacy result") }
    operation.fetchRecordsResultBlock = { _ in journal.note("result") }
    await server().database.run(operation)
    #expect(journal.all == ["a 1.0", "a", "result"])
  }

  @Test func `a fetch reports a failed record to the legacy block as a partial failure`() async {
    let journal = Journal()
    let operation = CKFetchRecordsOperation(recordIDs: [id("a"), id("missing")])
    operation.perRecordCompletionBlock = { record, id, error in
      journal.note("\(id?.recordName ?? "") \(record != nil) \(code(error)?.rawValue ?? 0)")
    }
    operation.fetchRecordsCompletionBlock = { records, error in
      let error = error as? CKError
      journal.note("\(records?.count ?? 0) \(error?.code.rawValue ?? 0)")
      journal.note("\(code(error?.partialErrorsByItemID?[id("missing")])?.rawValue ?? 0)")
    }
    await server().database.run(operation)
    #expect(journal.all == ["a true 0", "missing false 11", "1 2", "11"])
  }

  @Test func `a fetch of the current user returns the user's own record`() async throws {
    let server = server()
    let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    let journal = Journal()
    operation.perRecordResultBlock = { id, _ in journal.note(id.recordName) }
    await server.database.run(operation)
    #expect(journal.all == [FakeServer.userName])
    let request = try #require(try server.calls.first?.request(LookupRecords.Request.self))
    #expect(request.items.map(\.recordName) == [FakeServer.userName])
  }

  @Test func `several fetches ask the server for the current user only once`() async throws {
    let server = server()
    let database = server.database
    for _ in 0..<3 { _ = try await database.record(for: id("a")) }
    #expect(server.callerCalls == 1)
  }

  @Test func `a fetched record of the user's own zone has the default owner name`() async throws {
    let record = try await server().database.record(for: id("a"))
    #expect(record.recordID.zoneID.ownerName == CKCurrentUserDefaultName)
  }

  @Test func `a fetch of more than 400 records fails with limitExceeded`() async {
    let ids = (0..<401).map { id("r\($0)") }
    await #expect { try await server().database.records(for: ids) } throws: {
      code($0) == .limitExceeded
    }
  }

  @Test func `a fetch is cancelled when the task that waits for the fetch is cancelled`() async {
    let server = FakeServer()
    let gate = Gate()
    let reached = Gate()
    server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      reached.open()
      await gate.pass()
      throw .lostBeforeSending
    }
    let database = server.database
    let task = Task { try await database.record(for: id("a")) }
    await reached.pass()
    task.cancel()
    await #expect { try await task.value } throws: { code($0) == .operationCancelled }
    gate.open()
  }
}

@Suite struct `The zones of a database` {
  private func server() -> FakeServer {
    let server = FakeServer()
    let owner = FakeServer.userName
    server.on(ListZones.self) { _ in
      ListZones.Response(
        zones: ["_defaultZone", "Z"].map {
          .zone(ZoneDictionary(zoneID: ZoneID(zoneName: $0, ownerRecordName: owner)))
        })
    }
    server.on(LookupZones.self) { request in
      ListZones.Response(
        zones: request.zones.map { zoneID in
          zoneID.zoneName == "missing"
            ? .failure(zoneID, refusal(.zoneNotFound)) : .zone(ZoneDictionary(zoneID: zoneID))
        })
    }
    server.on(ModifyZones.self) { request in
      ListZones.Response(
        zones: request.operations.map { operation in
          operation.zoneID.zoneName == "missing"
            ? .failure(operation.zoneID, refusal(.zoneNotFound))
            : .zone(
              ZoneDictionary(zoneID: operation.zoneID, isDeleted: operation.kind == .delete))
        })
    }
    return server
  }

  @Test func `the list of a database's zones contains the default zone`() async throws {
    let zones = try await server().database.allRecordZones()
    #expect(zones.map(\.zoneID) == [.default, zoneZ])
    #expect(zones.map(\.capabilities.isEmpty) == [true, false])
  }

  @Test func `the zones of a database are found by ID`() async throws {
    let database = server().database
    let missing = CKRecordZone.ID(zoneName: "missing")
    let results = try await database.recordZones(for: [zoneZ, missing])
    #expect(try results[zoneZ]?.get().zoneID == zoneZ)
    #expect(code(results[missing]) == .zoneNotFound)
    await #expect { try await database.recordZone(for: missing) } throws: {
      code($0) == .zoneNotFound
    }
  }

  @Test func `the zones of a database can be created and deleted`() async throws {
    let database = server().database
    #expect(try await database.save(CKRecordZone(zoneID: zoneZ)).zoneID == zoneZ)
    #expect(try await database.deleteRecordZone(withID: zoneZ) == zoneZ)
    await #expect {
      try await database.deleteRecordZone(withID: CKRecordZone.ID(zoneName: "missing"))
    } throws: { code($0) == .zoneNotFound }
  }

  @Test func `failed zones are reported to the legacy block as a partial failure`() async {
    let journal = Journal()
    let missing = CKRecordZone.ID(zoneName: "missing")
    let operation = CKModifyRecordZonesOperation(
      recordZonesToSave: [CKRecordZone(zoneID: zoneZ)], recordZoneIDsToDelete: [missing])
    operation.perRecordZoneSaveBlock = { id, _ in journal.note("saved \(id.zoneName)") }
    operation.perRecordZoneDeleteBlock = {
      journal.note("\($0.zoneName) \(code($1)?.rawValue ?? 0)")
    }
    operation.modifyRecordZonesCompletionBlock = { saved, deleted, error in
      let error = error as? CKError
      journal.note("\(saved?.count ?? -1) \(deleted?.count ?? -1) \(error?.code.rawValue ?? 0)")
      journal.note("\(code(error?.partialErrorsByItemID?[missing])?.rawValue ?? 0)")
    }
    await server().database.run(operation)
    #expect(journal.all == ["saved Z", "missing 26", "1 0 2", "26"])
  }
}
