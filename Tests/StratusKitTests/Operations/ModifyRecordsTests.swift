import Foundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `A save` {
  /// Returns a handler that refuses the named records with these errors and accepts all others.
  private static func refusing(
    _ names: [String: ErrorCode]
  ) -> @Sendable (ModifyRecords.Request) throws -> RecordsResponse {
    { request in
      var response = accepted(request)
      for (place, operation) in request.operations.enumerated() {
        guard let name = operation.recordName, let code = names[name] else { continue }
        response.records[place] = .failure(
          RecordFailure(
            recordName: name, error: refusal(code), serverRecord: stored(name, tag: "server")))
      }
      return response
    }
  }

  @Test func `a save sends one request for each zone, in the order of the zones`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let zoneY = CKRecordZone.ID(zoneName: "Y")
    let operation = CKModifyRecordsOperation(
      recordsToSave: [note("a"), note("b", in: zoneY), note("c")],
      recordIDsToDelete: [id("d", in: zoneY)])
    operation.clientChangeTokenData = Data([1, 2, 3])
    await server.database.run(operation)
    let requests = try server.calls.map { try $0.request(ModifyRecords.Request.self) }
    #expect(requests.map(\.zoneID?.zoneName) == ["Z", "Y"])
    #expect(requests.map { $0.operations.map(\.recordName) } == [["a", "c"], ["b", "d"]])
    #expect(
      requests.map { $0.operations.map(\.kind) } == [
        [.create, .create], [.create, .forceDelete],
      ])
    #expect(requests.map(\.isAtomic) == [true, true])
    #expect(requests.map(\.clientChangeToken) == ["AQID", "AQID"])
  }

  @Test func `a save updates the record objects that the app passed`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let record = note("a")
    record["title"] = "x"
    let saved = try await server.database.save(record)
    #expect(saved === record)
    #expect(record.recordChangeTag == "t2")
    #expect(record.changedKeys().isEmpty)
    #expect(record["title"] == "x")
    let request = try server.calls[0].request(ModifyRecords.Request.self)
    #expect(request.selection.desiredKeys == [], "the client knows the values already")
  }

  @Test
  func `a save of 400 records is one request, and a save of 401 records fails`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let records = (0..<401).map { note("r\($0)") }
    await #expect {
      try await server.database.modifyRecords(saving: records, deleting: [])
    } throws: { code($0) == .limitExceeded }
    #expect(server.calls.isEmpty)
    let (results, _) = try await server.database.modifyRecords(
      saving: Array(records.dropLast()), deleting: [])
    #expect(results.count == 400)
    #expect(server.calls.count == 1)
  }

  @Test func `a save of more than 2 MB fails with limitExceeded`() async {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let records = (0..<3).map { number in
      let record = note("r\(number)")
      record["text"] = String(repeating: "x", count: 750_000)
      return record
    }
    await #expect {
      try await server.database.modifyRecords(saving: records, deleting: [])
    } throws: { code($0) == .limitExceeded }
    #expect(server.calls.isEmpty)
  }

  @Test func `a batch that saves and deletes one record fails with invalidArguments`() async {
    let server = FakeServer()
    await #expect {
      try await server.database.modifyRecords(saving: [note("a")], deleting: [id("a")])
    } throws: { code($0) == .invalidArguments }
    #expect(server.calls.isEmpty)
  }

  @Test func `a save of no record succeeds without a request`() async throws {
    let server = FakeServer()
    let (saves, deletes) = try await server.database.modifyRecords(saving: [], deleting: [])
    #expect(saves.isEmpty && deletes.isEmpty)
    #expect(server.calls.isEmpty)
  }

  @Test
  func `a save reports a conflict with the record, its ancestor and the server's record`()
    async throws
  {
    let server = FakeServer()
    server.on(LookupRecords.self) { _ in RecordsResponse(records: [.record(stored("a"))]) }
    server.on(ModifyRecords.self, Self.refusing(["a": .conflict]))
    let database = server.database
    let record = try await database.record(for: id("a"))
    record["title"] = "mine"
    do {
      try await database.save(record)
      Issue.record("the save must be a conflict")
    } catch let error as CKError {
      #expect(error.code == .serverRecordChanged)
      #expect(error.serverRecord?.recordChangeTag == "server")
      #expect(error.clientRecord === record)
      #expect(error.ancestorRecord?.recordChangeTag == "t1")
      #expect(error.ancestorRecord?["title"] == nil)
    }
  }

  @Test
  func `a save with failed records succeeds and reports the failures to the modern blocks`() async {
    let server = FakeServer()
    server.on(ModifyRecords.self, Self.refusing(["a": .conflict, "b": .atomicError]))
    let journal = Journal()
    let operation = CKModifyRecordsOperation(recordsToSave: [note("a"), note("b")])
    operation.perRecordSaveBlock = { id, result in
      journal.note("\(id.recordName) \(code(result)?.rawValue ?? 0)")
    }
    operation.perRecordCompletionBlock = { _, _ in journal.note("legacy record") }
    operation.modifyRecordsCompletionBlock = { _, _, _ in journal.note("legacy result") }
    operation.modifyRecordsResultBlock = { journal.note("result \(code($0)?.rawValue ?? 0)") }
    await server.database.run(operation)
    #expect(journal.all == ["a 14", "b 22", "result 0"])
  }

  @Test func `a save reports a partial failure to the legacy block`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self, Self.refusing(["b": .notFound]))
    let journal = Journal()
    let operation = CKModifyRecordsOperation(
      recordsToSave: [note("a"), note("b")], recordIDsToDelete: [id("c")])
    operation.perRecordCompletionBlock = { record, error in
      journal.note("\(record.recordID.recordName) \(code(error)?.rawValue ?? 0)")
    }
    operation.modifyRecordsCompletionBlock = { saved, deleted, error in
      let error = error as? CKError
      journal.note("\(saved?.map(\.recordID.recordName) ?? [])")
      journal.note("\(deleted?.map(\.recordName) ?? [])")
      journal.note("\(error?.code.rawValue ?? 0) \(error?.partialErrorsByItemID?.count ?? 0)")
      journal.note("\(code(error?.partialErrorsByItemID?[id("b")])?.rawValue ?? 0)")
    }
    await server.database.run(operation)
    #expect(journal.all == ["a 0", "b 11", #"["a"]"#, #"["c"]"#, "2 1", "11"])
  }

  @Test
  func `a save into a missing zone fails only for the records of that zone`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self) { request in
      if request.zoneID?.zoneName == "Z" { throw refusal(.zoneNotFound, Reason.zoneNotFound) }
      return accepted(request)
    }
    let zoneY = CKRecordZone.ID(zoneName: "Y")
    let (saves, _) = try await server.database.modifyRecords(
      saving: [note("a"), note("b", in: zoneY)], deleting: [])
    #expect(code(saves[id("a")]) == .zoneNotFound)
    #expect(saves[id("b", in: zoneY)] != nil)
    #expect(code(saves[id("b", in: zoneY)]) == nil)
  }

  @Test func `a save without an account fails as a whole`() async {
    let server = FakeServer()
    server.on(ModifyRecords.self) { _ in throw refusal(.authenticationRequired) }
    let database = server.container(webAuthToken: nil).privateCloudDatabase
    await #expect { try await database.modifyRecords(saving: [note("a")], deleting: []) } throws: {
      code($0) == .notAuthenticated
    }
  }

  @Test func `a save sends each record with its own save policy`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let records = try ["a", "b", "c"].map { name in
      var wire = stored(name)
      wire.fields = FieldsJSON([("title", .string("old"))])
      return try RecordFactory.record(
        wire: wire, naming: UserNaming(currentUserRecordName: FakeServer.userName))
    }
    for record in records { record["count"] = 1 }
    let database = server.container()
    let modification = RecordModification(
      database: DatabaseCalls(
        path: database.path, scope: .private, options: database.callOptions),
      isAtomic: true, clientChangeToken: nil, progress: { _, _ in }, deliver: { _, _ in })
    try await modification.run([
      .save(records[0], .ifServerRecordUnchanged), .save(records[1], .changedKeys),
      .save(records[2], .allKeys),
    ])
    let request = try server.calls[0].request(ModifyRecords.Request.self)
    #expect(server.calls.count == 1)
    #expect(request.operations.map(\.kind) == [.update, .forceUpdate, .forceUpdate])
    #expect(request.operations.map(\.recordChangeTag) == ["t1", nil, nil])
    let fields = request.operations.map(\.fieldsText)
    #expect(fields.map { $0.contains("title") } == [false, false, true])
    #expect(fields.allSatisfy { $0.contains("count") })
  }

  @Test func `an atomic save sends nothing to a zone if one record cannot be sent`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let bad = note("bad")
    bad["no good"] = "x"
    let zoneY = CKRecordZone.ID(zoneName: "Y")
    let (saves, _) = try await server.database.modifyRecords(
      saving: [note("a"), bad, note("b", in: zoneY)], deleting: [])
    #expect(code(saves[id("bad")]) == .invalidArguments)
    #expect(code(saves[id("a")]) == .batchRequestFailed)
    #expect(code(saves[id("b", in: zoneY)]) == nil)
    #expect(server.calls.count == 1)
  }

  @Test
  func `a save whose answer is lost fails, and a deletion whose answer is lost is repeated`()
    async throws
  {
    let server = FakeServer()
    server.onRaw(ModifyRecords.path) { (_) async throws(NetworkFailure) in
      throw .lostAfterSending
    }
    await #expect { try await server.database.save(note("a")) } throws: {
      code($0) == .serverResponseLost
    }
    #expect(server.calls.count == 1)
    await #expect { try await server.database.deleteRecord(withID: id("a")) } throws: {
      code($0) == .networkFailure
    }
    #expect(server.calls.count == 3)
  }

  @Test func `a save returns the server's retry delay to the caller`() async throws {
    let server = FakeServer()
    server.on(ModifyRecords.self) { _ in throw refusal(.throttled, retryAfter: 40) }
    do {
      try await server.database.save(note("a"))
      Issue.record("the save must fail")
    } catch let error as CKError {
      #expect(error.code == .requestRateLimited)
      #expect(error.retryAfterSeconds == 40)
    }
    #expect(server.calls.count == 1)
  }
}
