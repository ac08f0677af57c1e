import StratusWire

/// Answers `zones/modify`. Each zone succeeds or fails separately.
struct ModifyZonesHandler: EndpointHandler {
  typealias Endpoint = ModifyZones

  let databases: DatabaseAccess
  let ambient: Ambient
  let changes: any Signals

  func answer(
    _ request: ModifyZones.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ModifyZones.Response {
    guard request.operations.count <= Limits.zonesPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, needsUser: true)
    // A participant deletes a zone of the shared database to leave its shares.
    let leaves =
      database.view.scope == .shared
      && request.operations.allSatisfy { $0.kind == .delete }
    if !leaves { try database.view.requireOwnZones() }
    let origin = try caller.origin(now: ambient.now())
    // Leaving a zone takes some time, so each zone is left in a transaction of its own.
    let parts =
      leaves ? request.operations.map { [$0] } : [request.operations]
    caller.work.add(steps: request.operations.count * Limits.stepsPerSmallOperation)
    var items: [ZoneItem] = []
    var isWatched = false
    for part in parts {
      // NB: an operation without a valid zone fails later, with an error of its own.
      let zones = part.compactMap { try? database.zoneAddress($0.zoneID) }
      let outcome = try await database.store.write(to: zones) { (store) throws(ServerError) in
        try modify(
          part, showsIncarnations: request.showsIncarnations, from: origin, in: database,
          of: store)
      }
      items += outcome.items
      isWatched = isWatched || outcome.isWatched
    }
    if isWatched { changes.send(StoreSignal(database.address)) }
    return ModifyZones.Response(zones: items)
  }

  private func modify(
    _ operations: [ModifyZones.Operation], showsIncarnations: Bool, from origin: ChangeOrigin,
    in database: OpenDatabase, of store: any StoreWriting
  ) throws(ServerError) -> (items: [ZoneItem], isWatched: Bool) {
    var isWatched = false
    let presenter = ZonePresenter(
      caller: database.caller, epoch: try store.epoch(of: database.view),
      showsIncarnations: showsIncarnations)
    var items: [ZoneItem] = []
    for operation in operations {
      do throws(ServerError) {
        items.append(
          try modify(
            operation, from: origin, in: database, of: store, presenter, isWatched: &isWatched))
      } catch {
        if error.code == .internalError || error.code == .tryAgainLater { throw error }
        items.append(presenter.failure(operation.zoneID, error))
      }
    }
    return (items, isWatched)
  }

  private func modify(
    _ operation: ModifyZones.Operation, from origin: ChangeOrigin, in database: OpenDatabase,
    of store: any StoreWriting, _ presenter: ZonePresenter, isWatched: inout Bool
  ) throws(ServerError) -> ZoneItem {
    let address = try database.zoneAddress(operation.zoneID)
    if case .shared(let user) = database.view {
      let effects = ShareEffects(
        address: address, origin: origin, deviceID: database.caller.deviceID)
      try LeaveShares(database: database, effects: effects, user: user).leaveZone(in: store)
      isWatched = true
      return .zone(ZoneDictionary(zoneID: address.id, isDeleted: true))
    }
    let (name, key) = (address.name, address.database)
    let existing = try store.lockZone(named: name, in: key)
    switch operation.kind {
    case .create:
      if address.isDefault { return presenter.defaultZone(of: key) }
      if let existing {
        if let scope = operation.encryptionScope, scope != existing.encryptionScope {
          throw .badRequest(Reason.encryptionScopeFixed)
        }
        return presenter.item(existing)
      }
      try Naming.checkZoneName(name)
      guard try store.zoneCount(in: key) < Limits.zonesPerDatabaseMax else {
        throw .badRequest("the database has \(Limits.zonesPerDatabaseMax) zones, the most allowed")
      }
      let made = try store.createZone(
        named: name, in: key, encryptionScope: operation.encryptionScope ?? .perRecord)
      if try store.saveWord(.zoneMade, of: made, by: origin) { isWatched = true }
      return presenter.item(made)
    case .delete:
      if address.isDefault { throw .badRequest(Reason.defaultZoneIsFixed) }
      guard let existing else { throw try store.missingZone(named: name, in: key) }
      if try store.saveWord(.zoneDeleted, of: existing, by: origin) { isWatched = true }
      try store.deleteZone(existing, reason: .deleted, at: origin.time)
      if try store.schema().settings.versionDays != nil {
        try store.keepRecords(ofDeleted: existing, at: origin.time)
      }
      return .zone(ZoneDictionary(zoneID: address.id, isDeleted: true))
    }
  }
}
