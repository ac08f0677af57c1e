import StratusWire

/// Answers `records/modify`. One transaction handles the zones of the request one after the other:
/// it loads the records, decides the operations and writes the changes.
struct ModifyRecordsHandler: EndpointHandler {
  typealias Endpoint = ModifyRecords

  let databases: DatabaseAccess
  let ambient: Ambient
  let cascades: any Signals
  let changes: any Signals
  let writers: ZoneWriters
  /// The maximum number of records that one transaction moves to another hierarchy along with their
  /// parents.
  var followersMax = Limits.hierarchyStepMax
  /// Tells people that a share invites them.
  var invitations: any ShareInvitations = NoShareInvitations()

  /// The result of a zone's operations.
  struct Outcome {
    let items: [RecordItem]
    /// Whether there may be background work, because more records must be deleted or moved to
    /// another hierarchy than one transaction can handle.
    var hasMoreToCascade = false
    /// Whether subscriptions may report the change.
    var isWatched = false
    /// The addresses that saved shares have invited.
    var invited: [InvitedAddress] = []
  }

  func answer(
    _ request: ModifyRecords.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ModifyRecords.Response {
    let operations = try named(request.operations)
    if let token = request.clientChangeToken,
      token.utf8.count > Limits.clientChangeTokenBytesMax
    {
      throw .badRequest("clientChangeToken is longer than the limit")
    }
    let database = try await databases.open(address, for: caller, needsUser: true)
    let batches = try ZoneBatches(operations.map(\.zoneID), of: request.zoneID, in: database)
    let strange = try await zonesWithoutRole(batches, in: database)
    let positions = batches.batches.filter { !strange.contains($0.address) }.map {
      ZoneWriters.Key(store: address.store, zone: $0.address)
    }
    if positions.isEmpty, !strange.isEmpty {
      return ModifyRecords.Response(
        records: try batches.failures(
          of: operations.map { $0.recordName ?? "" }, OpenDatabase.zoneNotFound, for: caller))
    }
    try writers.enter(positions)
    defer { writers.leave(positions) }
    let now = ambient.now()
    let origin = try caller.origin(now: now)
    let parts = batches.batches.map { batch in
      batch.indices.map { operations[$0] }.mappedOnAllCores { SentOperation($0) }
    }
    let ids = parts.map { part in
      ShareBatch.IDs(
        for: part.map(\.operation), at: address.store, makeUUID: ambient.makeUUID)
    }
    let zones = batches.batches.map(\.address)
    let (response, hasMoreToCascade, isWatched, invited) = try await database.store.write(
      to: zones, reading: Self.onlyRecord(of: operations, in: zones)
    ) {
      (store) throws(ServerError) in
      var results = [RecordItem?](repeating: nil, count: operations.count)
      var invited: [InvitedAddress] = []
      var hasMoreToCascade = false
      var isWatched = false
      var room = AnswerBudget()
      let followers = FollowerBudget(followersMax)
      for (number, (batch, part)) in zip(batches.batches, parts).enumerated() {
        let outcome: Outcome
        do throws(ServerError) {
          if strange.contains(batch.address) { throw OpenDatabase.zoneNotFound }
          outcome = try modify(
            part, ids[number], at: batch.address, request: request, from: origin,
            within: followers, in: database, of: store, room: &room)
        } catch {
          outcome = Outcome(
            items: try batches.failures(
              of: part.map { $0.operation.recordName ?? "" }, error, for: caller))
        }
        for (index, item) in zip(batch.indices, outcome.items) { results[index] = item }
        hasMoreToCascade = hasMoreToCascade || outcome.hasMoreToCascade
        isWatched = isWatched || outcome.isWatched
        invited += outcome.invited
      }
      let response = RecordsResponse(
        records: results.compactMap { $0 },
        syncToken: try batches.syncToken(in: database, of: store))
      return (response, hasMoreToCascade, isWatched, invited)
    }
    if hasMoreToCascade { cascades.send(StoreSignal(database.address)) }
    if isWatched { changes.send(StoreSignal(database.address)) }
    if !invited.isEmpty { await invitations.invited(invited) }
    return response
  }

  /// Returns the record of a request that saves only this record, or nil for any other request. A
  /// deletion may take long, because it may delete many further records.
  private static func onlyRecord(
    of operations: [RecordOperation], in zones: [ZoneAddress]
  ) -> String? {
    guard operations.count == 1, zones.count == 1 else { return nil }
    switch operations[0].kind {
    case .create, .update, .forceUpdate, .replace, .forceReplace: return operations[0].recordName
    case .delete, .forceDelete: return nil
    }
  }

  /// Returns the zones of other users in which the caller has no role. A request for such a zone
  /// must neither count as a writer of the zone nor wait for a write transaction of the store.
  private func zonesWithoutRole(
    _ batches: ZoneBatches, in database: OpenDatabase
  ) async throws(ServerError) -> Set<ZoneAddress> {
    guard case .shared = database.view else { return [] }
    let addresses = batches.batches.map(\.address)
    return try await database.store.read { (store) throws(ServerError) in
      var strange: Set<ZoneAddress> = []
      for address in addresses {
        do throws(ServerError) { _ = try database.access(to: address, of: store) } catch {
          guard error.code == .zoneNotFound else { throw error }
          strange.insert(address)
        }
      }
      return strange
    }
  }

  /// Gives a name to each new record that has none.
  private func named(
    _ operations: [RecordOperation]
  ) throws(ServerError) -> [RecordOperation] {
    guard operations.count <= Limits.operationsPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    return operations.map { operation in
      guard operation.kind == .create, operation.recordName == nil else { return operation }
      var operation = operation
      operation.recordName = ambient.makeUUID()
      return operation
    }
  }

  private func modify(
    _ operations: [SentOperation], _ ids: ShareBatch.IDs, at address: ZoneAddress,
    request: ModifyRecords.Request, from origin: ChangeOrigin, within followers: FollowerBudget,
    in database: OpenDatabase, of store: any StoreWriting, room: inout AnswerBudget
  ) throws(ServerError) -> Outcome {
    let effects = ShareEffects(
      address: address, origin: origin, deviceID: database.caller.deviceID, followers: followers)
    guard case .shared(let user) = database.view else {
      return try settle(
        operations, ids, effects, request: request, in: database, of: store, room: &room)
    }
    let finished = try LeaveShares(database: database, effects: effects, user: user)
      .leave(by: operations.map(\.operation), in: store)
    let rest = operations.indices.filter { !finished.contains($0) }
    var items = operations.map { operation in
      RecordItem.deleted(Tombstone(recordName: operation.operation.recordName ?? ""))
    }
    if rest.isEmpty, !operations.isEmpty {
      return Outcome(items: items, hasMoreToCascade: true, isWatched: true)
    }
    var outcome = try settle(
      rest.map { operations[$0] }, ids, effects, request: request, in: database, of: store,
      room: &room)
    if finished.isEmpty { return outcome }
    for (position, item) in zip(rest, outcome.items) { items[position] = item }
    outcome = Outcome(items: items, hasMoreToCascade: true, isWatched: true)
    return outcome
  }

  /// Loads, decides and writes the operations of one zone.
  func settle(
    _ operations: [SentOperation], _ ids: ShareBatch.IDs, _ effects: ShareEffects,
    request: ModifyRecords.Request, in database: OpenDatabase, of store: any StoreWriting,
    room: inout AnswerBudget
  ) throws(ServerError) -> Outcome {
    let (address, origin) = (effects.address, effects.origin)
    let snapshot = try RecordSnapshot(
      loading: operations.compactMap(\.operation.recordName),
      assets: operations.flatMap(\.assetChecksums), at: address, in: database, of: store)
    let isAtomic = !address.isDefault && request.isAtomic ?? true
    let writer = RecordWriter(
      user: origin.user, deviceID: database.caller.deviceID, now: origin.time)
    let shares = try ShareBatch(
      operations.map(\.operation), ids: ids, on: snapshot, at: origin.time, in: store)
    database.caller.work.add(steps: shares.steps)
    var refused = shares.refusals
    while true {
      let decision = RecordDecision(
        operations, on: snapshot, by: writer, in: database, isAtomic: isAtomic, refused: refused,
        shares: shares.states)
      let unfounded = shares.refusals(after: decision)
      guard unfounded.isEmpty else {
        refused.merge(unfounded) { first, _ in first }
        continue
      }
      let keyRoots = try store.requireZoneKeys(decision.zoneKeyIDs, of: snapshot.zone)
      var schema = snapshot.schema
      schema.add(decision.schemaAddition)
      let linked = try ReferenceSnapshot(
        loading: decision, on: snapshot, schema: schema,
        childrenHoldParents: address.database.childrenHoldParents, of: store)
      let references = ReferenceDecision(
        decision, on: snapshot, linked, by: writer,
        requiresTargets: schema.settings.requiresReferenceTargets, isAtomic: isAtomic)
      var refusals = references.refusals
      var hierarchies: HierarchyReach?
      if refusals.isEmpty, let zone = snapshot.zone {
        let reach = try HierarchyReach(
          of: references.records, in: zone, at: origin.time, limit: effects.followers.left,
          of: store)
        hierarchies = reach
        refusals = try PlaceRules(
          access: snapshot.access, decision: decision, references: linked, hierarchies: reach,
          isCreated: { snapshot.records[$0] == nil }
        ).refusals(replacing: { snapshot.stored($0) }, in: store)
      }
      // NB: a restored record keeps the values of its earlier state. The server cannot seal them
      // with another key.
      if refusals.isEmpty, !keyRoots.isEmpty, operations.allSatisfy({ $0.restored == nil }) {
        refusals = try SealingCheck(
          access: snapshot.access, decision: decision, keyRoots: keyRoots,
          changes: PlaceChanges(decision, references, shares, on: snapshot),
          stored: { snapshot.records[$0] }
        ).refusals(in: store)
      }
      if refusals.isEmpty, schema.settings.hasQuotas {
        refusals = try QuotaDecision(
          settings: schema.settings, database: address.database,
          showsBytes: snapshot.access.participation == nil
        ).refusals(for: decision, replacing: { snapshot.stored($0) }, in: store)
      }
      guard refusals.isEmpty else {
        // A refused operation must leave no effect, so the other operations are decided again
        // without it.
        refused.merge(refusals) { first, _ in first }
        continue
      }
      try requireFewShares(shares, references, on: snapshot)
      effects.followers.take(hierarchies?.examinedCount ?? 0)
      let isWatched = try write(
        decision, references, hierarchies, on: snapshot, schema: schema, from: origin,
        // NB: a participant's client change token is not stored, because it would replace the
        // owner's.
        clientChangeToken: decision.hasFailed || snapshot.access.participation != nil
          ? nil : request.clientChangeToken, in: database, of: store)
      let roots =
        try effects.endShares(
          deletedBy: references.records, in: store,
          isNew: { snapshot.pendingDeletions[$0.name] != nil },
          replacing: { snapshot.stored($0.name) ?? references.gone[$0.name] })
        + shares.write(decision, written: references.records, by: effects, in: store)
      return Outcome(
        items: try present(
          decision, operations, newer: roots, at: address, in: database, of: store, room: &room),
        hasMoreToCascade: !references.unfinished.isEmpty || !references.rewritten.isEmpty
          || hierarchies.map { !$0.unfinished.isEmpty } ?? false || shares.concernsWork
          || !roots.isEmpty,
        isWatched: isWatched || shares.concernsWork || !roots.isEmpty,
        invited: try shares.invitedAddresses(
          by: decision, inviter: origin.user, in: database))
    }
  }

  /// - Throws: `BAD_REQUEST` if too many shares would begin, change or end at once.
  private func requireFewShares(
    _ shares: ShareBatch, _ references: ReferenceDecision, on snapshot: RecordSnapshot
  ) throws(ServerError) {
    var (records, roots) = (0, 0)
    for record in references.records where record.isDeleted {
      guard let old = snapshot.stored(record.name), old.hasSharing else { continue }
      if old.type == ShareRecord.recordType { records += 1 }
      if try old.shareMark()?.shareRecordName != nil { roots += 1 }
    }
    // A root is often deleted together with its share.
    guard shares.states.count + max(records, roots) <= Limits.sharesChangedPerRequestMax else {
      throw .badRequest(Reason.batchTooMuchWork)
    }
  }

  /// - Returns: whether subscriptions may report the change.
  private func write(
    _ decision: RecordDecision, _ references: ReferenceDecision, _ hierarchies: HierarchyReach?,
    on snapshot: RecordSnapshot, schema: Schema, from origin: ChangeOrigin,
    clientChangeToken: String?,
    in database: OpenDatabase, of store: any StoreWriting
  ) throws(ServerError) -> Bool {
    if !decision.schemaAddition.isEmpty { try store.add(decision.schemaAddition) }
    for place in decision.retiredWrites {
      try store.noteWrite(
        to: place, device: database.caller.deviceID, user: origin.user, at: origin.time)
    }
    if references.records.isEmpty, clientChangeToken == nil { return false }
    let zone =
      if let zone = snapshot.zone { zone } else {
        try store.createZone(
          named: snapshot.access.address.name, in: snapshot.access.address.database)
      }
    let stored = { (record: StoredRecord) in
      snapshot.stored(record.name) ?? references.gone[record.name]
    }
    var rows = RowChanges()
    var budget = WriterBudget()
    // NB: a loop over the positions does not copy the records, which are large.
    let records = references.records
    for position in records.indices {
      let (old, addedBefore) = (stored(records[position]), rows.added.entries.count)
      // NB: ``WriterBudget`` does not limit the records that the cascade deletes. The cascade has a
      // limit of its own.
      let isSent = position < decision.values.count
      try rows.note(
        records[position], replacing: old, schema: schema,
        values: isSent ? decision.values[position] : nil)
      if isSent {
        try budget.charge(
          records[position], replacing: old, rows: rows, addedBefore: addedBefore)
      }
    }
    database.caller.work.add(steps: budget.steps)
    try store.touchAssets(releasedBy: rows, now: origin.time)
    let changes = ChangeSet(
      zone: zone, records: references.records, rows: rows, clientChangeToken: clientChangeToken,
      watched: try store.watchForWriting(of: zone.database).change(
        of: references.records, in: zone, by: origin, passages: hierarchies?.passages ?? [],
        replacing: stored),
      passages: hierarchies?.passages ?? [])
    try store.apply(changes)
    for rest in hierarchies?.unfinished ?? [] { try store.addUnfinished(rest) }
    // NB: the order matters if a target is in both lists, because its second cascade replaces the
    // first. The second one belongs to the deletion in this batch, and also deletes records that
    // this batch saved.
    let targets =
      references.rewritten.map { ($0, zone.change) }
      + references.unfinished.map { ($0, changes.newestChange) }
    for (target, change) in targets {
      try store.addCascade(
        UnfinishedCascade(
          zone: zone, target: target, change: change, userRecordName: origin.user,
          deviceID: database.caller.deviceID))
    }
    return changes.watched != nil
  }

  /// - Throws: `BAD_REQUEST` if the response has no capacity for the records. In that case, nothing
  ///   is saved.
  private func present(
    _ decision: RecordDecision, _ operations: [SentOperation], newer roots: [StoredRecord],
    at address: ZoneAddress, in database: OpenDatabase, of store: any StoreReading,
    room: inout AnswerBudget
  ) throws(ServerError) -> [RecordItem] {
    let newer = Dictionary(roots.map { (ExactName($0.name), $0) }) { $1 }
    let presenter = RecordPresenter(address, in: database, files: store)
    var items: [RecordItem] = []
    items.reserveCapacity(operations.count)
    func show(
      _ record: StoredRecord, _ selection: FieldSelection
    ) throws(ServerError) -> RecordDictionary {
      let shown = try presenter.dictionary(record, selection: selection)
      guard room.take(AnswerBudget.sizeBytesMax(of: shown)) else {
        throw .badRequest(Reason.answerTooLarge)
      }
      return shown
    }
    // NB: a loop over the positions does not copy the operations, which contain all sent fields.
    for position in operations.indices {
      let selection = operations[position].operation.selection
      switch decision.outcomes[position] {
      case .saved(let record):
        items.append(.record(try show(newer[record.name] ?? record, selection)))
      case .deleted(let name): items.append(.deleted(Tombstone(recordName: name)))
      case .refused(let refusal):
        let serverRecord: RecordDictionary? =
          if let record = refusal.serverRecord {
            try show(record, FieldSelection(numbersAsStrings: selection.numbersAsStrings))
          } else {
            nil
          }
        items.append(
          .failure(
            RecordFailure(
              recordName: operations[position].operation.recordName ?? "",
              error: refusal.error.dictionary(for: database.caller),
              serverRecord: serverRecord, sealingRootRecordName: refusal.sealingRoot)))
      }
    }
    return items
  }
}
