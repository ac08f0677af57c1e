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
    let database = try await databases.open(address, for: caller, to: .read)
    let batches = try ZoneBatches(request.items.map(\.zoneID), of: request.zoneID, in: database)
    return try await database.store.read { (store) throws(ServerError) in
      var results = [RecordItem?](repeating: nil, count: request.items.count)
      var budget = AnswerBudget()
      for batch in batches.batches {
        do throws(ServerError) {
          try look(
            up: batch, for: request, in: database, of: store, into: &results, budget: &budget)
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

  /// Finds the records of one zone in groups, until the answer has no more capacity.
  private func look(
    up batch: ZoneBatches.Batch, for request: LookupRecords.Request, in database: OpenDatabase,
    of store: any StoreReading, into results: inout [RecordItem?], budget: inout AnswerBudget
  ) throws(ServerError) {
    let access = try database.access(to: batch.address, of: store)
    let presenter = RecordPresenter(access.address, in: database, files: store)
    var rest = batch.indices[...]
    while !rest.isEmpty {
      let group = rest.prefix(Limits.recordsReadTogether)
      rest = rest.dropFirst(group.count)
      var records: [ExactName: StoredRecord] = [:]
      if !budget.isFull {
        records = try store.readableRecords(
          named: group.map { request.items[$0].recordName }, access)
      }
      for index in group {
        results[index] = try look(
          up: request.items[index], among: records, presenter, for: database.caller, budget: &budget
        )
      }
    }
  }

  /// Returns the record, or the reason why it is not in the answer.
  private func look(
    up item: LookupRecords.Item, among records: [ExactName: StoredRecord],
    _ presenter: RecordPresenter, for caller: Caller, budget: inout AnswerBudget
  ) throws(ServerError) -> RecordItem {
    var error = ServerError.badRequest(Reason.answerTooLarge)
    if !budget.isFull, let record = records[item.recordName] {
      let shown = try presenter.dictionary(record, selection: item.selection)
      if budget.take(AnswerBudget.sizeBytesMax(of: shown)) { return .record(shown) }
    } else if !budget.isFull {
      error = ServerError(.notFound, Reason.recordNotFound)
    }
    return .failure(
      RecordFailure(recordName: item.recordName, error: error.dictionary(for: caller)))
  }
}
