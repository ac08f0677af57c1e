import StratusWire

/// Answers `records/lookup`.
struct LookupRecordsHandler: EndpointHandler {
  typealias Endpoint = LookupRecords

  let databases: DatabaseAccess

  func answer(
    _ request: LookupRecords.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> LookupRecords.Response {
    guard request.items.count <= Limits.lookupsPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller)
    let batches = try ZoneBatches(request.items.map(\.zoneID), of: request.zoneID, in: database)
    return try await database.store.read { (store) throws(ServerError) in
      var results = [RecordItem?](repeating: nil, count: request.items.count)
      for batch in batches.batches {
        do throws(ServerError) {
          try look(up: batch, for: request, in: database, of: store, into: &results)
        } catch {
          let names = batch.indices.map { request.items[$0].recordName }
          let failures = try batches.failures(of: names, error, for: caller)
          for (index, item) in zip(batch.indices, failures) { results[index] = item }
        }
      }
      return RecordsResponse(
        records: results.compactMap { $0 },
        syncToken: try batches.syncToken(in: database, of: store))
    }
  }

  private func look(
    up batch: ZoneBatches.Batch, for request: LookupRecords.Request, in database: OpenDatabase,
    of store: any StoreReading, into results: inout [RecordItem?]
  ) throws(ServerError) {
    let access = try database.access(to: batch.address, of: store)
    let names = batch.indices.map { request.items[$0].recordName }
    let records = try store.readableRecords(named: names, access)
    let presenter = RecordPresenter(access.address, in: database)
    for index in batch.indices {
      let item = request.items[index]
      if let record = records[item.recordName] {
        results[index] = try presenter.item(record, selection: item.selection)
      } else {
        let error = ServerError(.notFound, Reason.recordNotFound)
        results[index] = .failure(
          RecordFailure(
            recordName: item.recordName, error: error.dictionary(for: database.caller)))
      }
    }
  }
}
