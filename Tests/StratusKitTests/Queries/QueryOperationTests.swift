import CloudKit
import CoreLocation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `A query operation` {
  /// A server that has a page of record names for each continuation marker. The marker of the first
  /// page is nil.
  private func server(
    _ pages: [String?: (names: [String], next: String?)]
  ) -> FakeServer {
    let server = FakeServer()
    server.on(QueryRecords.self) { request in
      guard let page = pages[request.continuationMarker] else {
        throw refusal(.badRequest, "invalid continuation marker")
      }
      return QueryRecords.Response(
        records: page.names.map { .record(stored($0, zone: "Z")) },
        continuationMarker: page.next)
    }
    return server
  }

  private func query(_ predicate: NSPredicate = NSPredicate(value: true)) -> CKQuery {
    CKQuery(recordType: "Note", predicate: predicate)
  }

  private func requests(_ server: FakeServer) throws -> [QueryRecords.Request] {
    try server.calls.map { try $0.request(QueryRecords.Request.self) }
  }

  @Test func `a query operation returns records in order, then the cursor`() async throws {
    let server = server([nil: (["b", "a"], "m1"), "m1": (["c"], nil)])
    let journal = Journal()
    let operation = CKQueryOperation(query: query())
    operation.recordMatchedBlock = { id, _ in journal.note(id.recordName) }
    operation.queryResultBlock = { result in
      journal.note((try? result.get()) != nil ? "more" : "end")
    }
    await server.database.run(operation)
    #expect(journal.all == ["b", "a", "more"])
  }

  @Test
  func `a query operation with a cursor runs the cursor's query, whatever query and zone are set`()
    async throws
  {
    let server = server([nil: (["a"], "m1"), "m1": (["b"], nil)])
    let zone = CKRecordZone.ID(zoneName: "Z")
    let first = try await server.database.records(
      matching: query(NSPredicate(format: "n > %d", 3)), inZoneWith: zone, resultsLimit: 1)
    let cursor = try #require(first.queryCursor)
    let operation = CKQueryOperation(cursor: cursor)
    operation.query = CKQuery(recordType: "Other", predicate: NSPredicate(value: true))
    operation.zoneID = CKRecordZone.ID(zoneName: "Other")
    operation.desiredKeys = ["n"]
    await server.database.run(operation)
    let requests = try requests(server)
    #expect(requests.map(\.query.recordType) == ["Note", "Note"])
    #expect(requests.map(\.zoneID?.zoneName) == ["Z", "Z"])
    #expect(requests.map(\.continuationMarker) == [nil, "m1"])
    #expect(requests.map(\.resultsLimit) == [1, nil])
    #expect(requests.map(\.selection.desiredKeys) == [nil, ["n"]])
    #expect(requests[0].query.filters == requests[1].query.filters)
    #expect(requests[0].query.filters.count == 1)
  }

  @Test func `a query operation continues after pages without a record`() async throws {
    let server = server([nil: ([], "m1"), "m1": ([], "m2"), "m2": (["a"], nil)])
    let page = try await server.database.records(matching: query())
    #expect(page.matchResults.map(\.0.recordName) == ["a"])
    #expect(page.queryCursor == nil)
    #expect(server.calls.count == 3)
  }

  @Test
  func `a query operation fails when the server repeats a continuation marker`() async throws {
    let server = server([nil: ([], "m1"), "m1": ([], "m1")])
    await #expect { try await server.database.records(matching: query()) } throws: {
      code($0) == .internalError
    }
  }

  @Test func `a query operation searches all zones when no zone is set`() async throws {
    let server = server([nil: ([], nil)])
    _ = try await server.database.records(matching: query())
    _ = try await server.database.records(
      matching: query(), inZoneWith: CKRecordZone.ID(zoneName: "Z"))
    let requests = try requests(server)
    #expect(requests.map(\.isZoneWide) == [true, false])
    #expect(requests.map(\.zoneID?.zoneName) == [nil, "Z"])
  }

  @Test func `a query operation sends the sort order of its query`() async throws {
    let server = server([nil: ([], nil)])
    let here = CLLocation(latitude: 60, longitude: 25)
    let query = query()
    query.sortDescriptors = [
      NSSortDescriptor(key: "title", ascending: false),
      CKLocationSortDescriptor(key: "place", relativeLocation: here),
      NSSortDescriptor(key: "creationDate", ascending: true),
      NSSortDescriptor(keyPath: \CKRecord.modificationDate, ascending: false),
    ]
    _ = try await server.database.records(matching: query)
    let sorts = try #require(requests(server).first).query.sorts
    #expect(sorts.map(\.isAscending) == [false, true, true, false])
    #expect(sorts[3].key.systemField == .modificationDate)
    #expect(sorts[0].key == QueryKey(field: "title"))
    #expect(sorts[1].relativeLocation?.latitude == 60)
    #expect(sorts[1].relativeLocation?.longitude == 25)
    #expect(sorts[2].key.systemField == .creationDate)
  }

  @Test
  func `a query operation refuses a sort descriptor with a comparator block when it runs`()
    async throws
  {
    let server = server([nil: ([], nil)])
    let query = query()
    query.sortDescriptors = [
      NSSortDescriptor(
        keyPath: \NSString.length, ascending: true, comparator: { _, _ in .orderedSame })
    ]
    await #expect { try await server.database.records(matching: query) } throws: {
      code($0) == .invalidArguments
    }
    #expect(server.calls.isEmpty)
  }

  @Test func `a query operation refuses an unsupported predicate when it runs`() async throws {
    let server = server([nil: ([], nil)])
    let bad = query(NSPredicate(format: "title LIKE %@", "a*"))
    await #expect { try await server.database.records(matching: bad) } throws: {
      code($0) == .invalidArguments
    }
    #expect(server.calls.isEmpty)
  }

  @Test func `a query operation that has neither a query nor a cursor fails`() async throws {
    let journal = Journal()
    let operation = CKQueryOperation()
    operation.queryCompletionBlock = { _, error in
      journal.note("\(code(error).map(\.rawValue) ?? 0)")
    }
    await server([:]).database.run(operation)
    #expect(journal.all == ["\(CKError.Code.invalidArguments.rawValue)"])
  }

  @Test
  func `a query operation does not call the legacy blocks when the modern blocks are set`()
    async throws
  {
    let journal = Journal()
    let operation = CKQueryOperation(query: query())
    operation.recordFetchedBlock = { _ in journal.note("legacy record") }
    operation.recordMatchedBlock = { _, _ in journal.note("record") }
    operation.queryCompletionBlock = { _, _ in journal.note("legacy end") }
    operation.queryResultBlock = { _ in journal.note("end") }
    await server([nil: (["a"], nil)]).database.run(operation)
    #expect(journal.all == ["record", "end"])
  }

  @Test func `a query operation returns the server's reason for a missing index`() async throws {
    let server = FakeServer()
    server.on(QueryRecords.self) { _ in
      throw refusal(.badRequest, "Field 'title' is not marked queryable")
    }
    await #expect { try await server.database.records(matching: query()) } throws: { error in
      code(error) == .invalidArguments
        && error.localizedDescription.contains("Field 'title' is not marked queryable")
    }
  }

  @Test func `a query operation retries while the server builds an index`() async throws {
    let server = FakeServer()
    let calls = Journal()
    server.onRaw(QueryRecords.path) { (_) async throws(NetworkFailure) in
      calls.note("asked")
      if calls.all.count < 3 {
        let error = refusal(.tryAgainLater, Reason.indexIsBeingBuilt, retryAfter: 1)
        return HTTPResponse(status: 503, body: error.jsonBytes)
      }
      let answer = QueryRecords.Response(records: [.record(stored("a"))])
      return HTTPResponse(status: 200, body: answer.jsonBytes)
    }
    let page = try await server.database.records(matching: query())
    #expect(page.matchResults.count == 1)
    #expect(calls.all.count == 3)
  }

  @Test func `a count adds the counts of all query pages`() async throws {
    let server = FakeServer()
    server.on(QueryRecords.self) { request in
      #expect(request.countsOnly)
      let isFirst = request.continuationMarker == nil
      return QueryRecords.Response(
        records: [], continuationMarker: isFirst ? "m1" : nil, count: isFirst ? 20_000 : 5)
    }
    #expect(try await server.database.count(matching: query()) == 20_005)
  }
}

@Suite struct `A query` {
  @Test func `the copy of a query has all properties and is independent`() throws {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n == %d", 1))
    query.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
    let copy = try #require(query.copy() as? CKQuery)
    copy.sortDescriptors = nil
    #expect(copy.recordType == "Note")
    #expect(copy.predicate.isEqual(query.predicate))
    #expect(query.sortDescriptors?.count == 1)
  }

  @Test func `a query survives archiving`() throws {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n == %d", 1))
    query.sortDescriptors = [NSSortDescriptor(key: "n", ascending: false)]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: query, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data))
    #expect(read.recordType == "Note")
    #expect(read.predicate.isEqual(query.predicate))
    #expect(read.sortDescriptors?.first?.key == "n")
    #expect(read.sortDescriptors?.first?.ascending == false)
  }

  @Test func `a query resumes from an archived cursor`() async throws {
    let server = FakeServer()
    server.on(QueryRecords.self) { request in
      QueryRecords.Response(
        records: [.record(stored(request.continuationMarker ?? "first"))],
        continuationMarker: request.continuationMarker == nil ? "m1" : nil)
    }
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let cursor = try #require(try await server.database.records(matching: query).queryCursor)
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: cursor, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKQueryOperation.Cursor.self, from: data))
    let page = try await server.database.records(continuingMatchFrom: read)
    #expect(page.matchResults.map(\.0.recordName) == ["m1"])
  }
}
