import StratusWire

/// Answers ``ListIndexes``.
struct ListIndexesHandler: ManagementHandler {
  typealias Endpoint = ListIndexes

  let changer: SchemaChanger
  let uses: IndexUses
  let ambient: Ambient

  func answer(
    _ request: ListIndexes.Request
  ) async throws(ServerError) -> ListIndexes.Response {
    let store = try await changer.store(of: request.containerID, request.environment)
    let address = StoreAddress(container: request.containerID, environment: request.environment)
    let counts = uses.counts(at: address)
    let items = try await store.read { (store) throws(ServerError) -> [ListIndexes.Item] in
      let days = try store.indexUses()
      var items: [ListIndexes.Item] = []
      for index in try store.schema().indexes.values.joined() {
        var item = ListIndexes.Item(
          id: index.id, recordType: index.recordType, columns: index.columns.map(\.listed),
          state: index.isReady ? .ready : .building, lastUsedDay: days[index.id],
          uses: counts[index.id] ?? 0)
        if !index.isReady {
          let progress = try store.indexProgress(
            of: index.id, limit: Limits.indexProgressRowsMax)
          item.rowsDone = progress?.done
          item.rowsTotal = progress?.total
        }
        items.append(item)
      }
      return items.sorted { $0.id < $1.id }
    }
    let advice = IndexAdvice(
      costly: uses.costly.list(at: address), indexes: items,
      day: ambient.now() / DropUnusedIndexes.dayMilliseconds)
    return ListIndexes.Response(indexes: items, advice: advice.all)
  }
}

/// Answers ``DropIndex``.
struct DropIndexHandler: ManagementHandler {
  typealias Endpoint = DropIndex

  let changer: SchemaChanger

  func answer(_ request: DropIndex.Request) async throws(ServerError) -> EmptyRequest {
    let store = try await changer.store(of: request.containerID, request.environment)
    try await store.write { (store) throws(ServerError) in
      let index = try store.schema().indexes.values.joined().first { $0.id == request.index }
      guard let index else {
        throw ServerError(
          .notFound,
          "there is no index \(request.index); 'stratus schema indexes' lists the indexes")
      }
      if request.cancelsBuild {
        if index.isReady {
          throw .badRequest("the index \(index.id) is ready; '--drop \(index.id)' drops it")
        }
        try store.cancelIndexBuild(index.id)
      } else {
        if !index.isReady {
          throw .badRequest(
            "the index \(index.id) is being built; '--cancel \(index.id)' ends the build")
        }
        try store.dropIndex(index.id)
      }
    }
    return EmptyRequest()
  }
}

extension IndexColumn {
  /// The column as a list of indexes shows it, such as `title` or `___modTime descending`.
  fileprivate var listed: String {
    let name =
      switch source {
      case .field(let name): name
      case .system(let field): field.rawValue
      case .searchableFields: "(searchable fields)"
      }
    return switch form {
    case .value: name
    case .descendingValue: "\(name) descending"
    case .member: "\(name) members"
    case .token, .earlierToken: "\(name) words"
    case .cell: "\(name) cells"
    }
  }
}
