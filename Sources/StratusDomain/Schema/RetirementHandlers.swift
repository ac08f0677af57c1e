import StratusWire

/// Answers ``RetireSchema``.
struct RetireSchemaHandler: ManagementHandler {
  typealias Endpoint = RetireSchema

  let changer: SchemaChanger

  func answer(_ request: RetireSchema.Request) async throws(ServerError) -> EmptyRequest {
    let store = try await changer.store(of: request.containerID, request.environment)
    let now = changer.ambient.now()
    try await store.write { (store) throws(ServerError) in
      let place = SchemaPlace(text: request.place)
      let decision = try RetirementDecision(
        request.action, at: place, newName: request.newName, isForced: request.isForced,
        schema: try store.schema(),
        lastWrite: try store.retiredWrites(of: place, limit: 1).first, now: now)
      switch decision.effect {
      case .set(let retirement, let field):
        if let field { try store.add(SchemaAddition(fields: [field])) }
        try store.set(retirement)
      case .end: try store.endRetirement(of: place)
      case .remove: try store.beginRemoval(of: place, now: now)
      }
    }
    return EmptyRequest()
  }
}

/// Answers ``ListRetirements``.
struct ListRetirementsHandler: ManagementHandler {
  typealias Endpoint = ListRetirements

  let changer: SchemaChanger

  func answer(
    _ request: ListRetirements.Request
  ) async throws(ServerError) -> ListRetirements.Response {
    let store = try await changer.store(of: request.containerID, request.environment)
    return try await store.read { (store) throws(ServerError) in
      var items: [ListRetirements.Item] = []
      let retirements = try store.schema().retirements.values
      for retirement in retirements.sorted(by: { $0.place.text < $1.place.text }) {
        let writes = try store.retiredWrites(
          of: retirement.place, limit: Limits.retiredWritersMax)
        items.append(
          ListRetirements.Item(
            place: retirement.place.text, phase: retirement.phase.word,
            newName: retirement.successor, isCopied: retirement.isCopied,
            since: retirement.since,
            writers: writes.map {
              ListRetirements.Writer(
                deviceID: $0.deviceID, userRecordName: $0.userRecordName, lastWrite: $0.time,
                writes: $0.count)
            }))
      }
      return ListRetirements.Response(retirements: items)
    }
  }
}

extension Retirement.Phase {
  /// The phase's name in lists.
  var word: String {
    switch self {
    case .reported: "reported"
    case .refused: "refused"
    case .removing: "removing"
    }
  }
}
