import StratusTransport
import StratusWire

/// One sync of a device without an engine. It sends pending changes, and then fetches new changes.
struct HandSync {
  let device: HandDevice
  let life: Life

  private var ledger: Ledger { device.household.ledger }

  /// NB: a sync that fails is simply repeated, because every change is kept until the server has
  /// answered it.
  func run() async {
    do throws(TransportFailure) {
      try await sendZones()
      try await sendRecords()
      if !device.household.isCalm, device.household.percent(20) { return }
      try await fetchDatabase()
      for zone in device.data.zones.keys.sorted() { try await fetch(zone) }
    } catch {
      ledger.saw("failed round")
      device.say("ends this sync after an error: \(error.words)")
    }
  }

  private func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(TransportFailure) -> E.Response {
    let response = try await device.connection.send(
      endpoint, request, to: .private, isIdempotent: true)
    if !life.goesOn() { throw .network(.cancelled) }
    return response
  }

  private func sendZones() async throws(TransportFailure) {
    let saves = device.data.zoneSaves.sorted()
    let deletions = device.data.zoneDeletions.sorted()
    if saves.isEmpty && deletions.isEmpty { return }
    let operations =
      saves.map { ModifyZones.Operation(.create, ZoneID(zoneName: $0)) }
      + deletions.map { ModifyZones.Operation(.delete, ZoneID(zoneName: $0)) }
    let response = try await send(
      ModifyZones.self, ModifyZones.Request(operations: operations))
    for (name, item) in zip(saves + deletions, response.zones) {
      switch item {
      case .zone:
        device.data.zoneSaves.remove(name)
        device.data.zoneDeletions.remove(name)
      case .failure(_, let error):
        if error.code == .zoneNotFound || error.code == .notFound {
          device.data.zoneDeletions.remove(name)
        } else {
          ledger.violated("\(device.name): zone \(name) was refused: \(error)")
        }
      }
    }
  }

  private func sendRecords() async throws(TransportFailure) {
    for zone in Set((device.data.saves.union(device.data.deletions)).map(\.zone)).sorted() {
      let saves = device.data.saves.filter { $0.zone == zone }.sorted().prefix(4)
      let deletions = device.data.deletions.filter { $0.zone == zone }.sorted().prefix(3)
      let sent = device.data.records
      let operations =
        saves.map { operation(saving: $0) }
        + deletions.map { RecordOperation(.forceDelete, recordName: $0.name) }
      let response: RecordsResponse
      do throws(TransportFailure) {
        response = try await send(
          ModifyRecords.self,
          ModifyRecords.Request(
            zoneID: ZoneID(zoneName: zone), operations: operations,
            isAtomic: device.household.percent(30)))
      } catch {
        guard error.code == .zoneNotFound else { throw error }
        loseZone(zone)
        continue
      }
      if response.records.count != operations.count {
        ledger.violated(
          "\(response.records.count) answers to \(operations.count) operations")
      }
      for (key, item) in zip(saves + deletions, response.records) {
        settle(key, item, sent: sent[key])
      }
    }
  }

  private func operation(saving key: RecordKey) -> RecordOperation {
    let record = device.data.records[key] ?? HandRecord()
    return RecordOperation(
      record.tag == nil ? .create : .update, recordName: key.name, recordType: Marks.recordType,
      recordChangeTag: record.tag,
      fields: try? JSONView(parsing: Marks.fields(record.marks).text))
  }

  private func settle(_ key: RecordKey, _ item: RecordItem, sent: HandRecord?) {
    switch item {
    case .deleted: device.data.deletions.remove(key)
    case .record(let saved):
      device.say("saved \(key) as \(saved.recordChangeTag)")
      if device.data.records[key]?.marks == sent?.marks { device.data.saves.remove(key) }
      device.data.records[key]?.tag = saved.recordChangeTag
      if let sent { ledger.promise(sent.marks, at: key, of: Cloud.user) }
    case .failure(let failure): settle(key, failure)
    }
  }

  private func settle(_ key: RecordKey, _ failure: RecordFailure) {
    switch failure.error.code {
    case .conflict:
      ledger.saw("conflict")
      guard let server = failure.serverRecord else {
        ledger.violated("the conflict error of \(key) has no server record")
        return
      }
      device.say("conflict about \(key), the server has \(server.recordChangeTag)")
      device.data.records[key]?.marks.formUnion(Marks.read(server.fields))
      device.data.records[key]?.tag = server.recordChangeTag
    case .notFound:
      device.say("the server does not have \(key)")
      if device.data.deletions.remove(key) != nil { return }
      if key.isKept { device.data.records[key]?.tag = nil } else { drop(key) }
    case .zoneNotFound: loseZone(key.zone)
    case .atomicError, .tryAgainLater, .throttled: return
    case .accessDenied, .authenticationFailed, .authenticationRequired, .badRequest, .exists,
      .internalError, .quotaExceeded, .validatingReferenceError:
      ledger.violated("\(device.name): \(key) was refused: \(failure.error)")
    }
  }

  private func drop(_ key: RecordKey) {
    device.data.records[key] = nil
    device.data.saves.remove(key)
  }

  /// Handles a zone that the server does not have. The permanent zone is created again, and other
  /// zones are removed.
  private func loseZone(_ zone: String) {
    device.say("the server does not have \(zone)")
    guard zone == RecordKey.keptZone else {
      device.data.forget(zone: zone)
      return
    }
    if !device.household.plan.rewinds, !device.data.zoneSaves.contains(zone) {
      ledger.violated("the zone \(zone) is gone, but no device deleted it")
    }
    device.data.zoneSaves.insert(zone)
    device.data.zones[zone] = HandZone()
    sendKeptAgain(in: zone)
  }

  /// Saves the permanent records of a zone again. Removes the other records, which the server may
  /// have lost, except new records that it has never had.
  private func sendKeptAgain(in zone: String) {
    for (key, record) in device.data.records where key.zone == zone {
      if key.isKept {
        device.data.saves.insert(key)
      } else if record.tag != nil || !device.data.saves.contains(key) {
        drop(key)
      }
    }
  }

  private func fetchDatabase() async throws(TransportFailure) {
    var token = device.data.databaseToken
    var isFromNothing = token == nil
    var listed: Set<String> = []
    while true {
      let page: FetchDatabaseChanges.Response
      do throws(TransportFailure) {
        page = try await send(
          FetchDatabaseChanges.self,
          FetchDatabaseChanges.Request(
            syncToken: token,
            resultsLimit: device.household.number(1...3)))
      } catch {
        guard error.isExpiredToken else { throw error }
        ledger.saw("expired database token")
        device.say("the database's token has expired")
        (device.data.databaseToken, token) = (nil, nil)
        isFromNothing = true
        listed = []
        continue
      }
      for zone in page.zones { take(zone, into: &listed) }
      token = page.syncToken
      // NB: a fetch that began without a token stores its token only at its end, because only the
      // complete list shows which zones are missing.
      if !isFromNothing || !page.moreComing { device.data.databaseToken = token }
      if page.moreComing { continue }
      if isFromNothing { expireZones(notIn: listed) }
      return
    }
  }

  private func take(_ zone: ZoneDictionary, into listed: inout Set<String>) {
    let name = zone.zoneID.zoneName
    if zone.isDeleted {
      device.say("learns that \(name) is deleted")
      if name == RecordKey.keptZone { ledger.violated("the kept zone was reported as deleted") }
      guard device.data.zoneSaves.contains(name) else {
        device.data.forget(zone: name)
        return
      }
      // The device will still create the zone again, but the server has lost the zone's old
      // records.
      device.data.zones[name] = HandZone()
      for (key, record) in device.data.records where key.zone == name && record.tag != nil {
        drop(key)
      }
    } else {
      listed.insert(name)
      if device.data.zoneDeletions.contains(name) { return }
      device.data.zones[name, default: HandZone()].hasNews = true
    }
  }

  /// After a fetch that began without a token, removes the zones that were not listed.
  private func expireZones(notIn listed: Set<String>) {
    for zone in device.data.zones.keys.sorted() where !listed.contains(zone) {
      if !device.data.zoneSaves.contains(zone) { loseZone(zone) }
    }
  }

  private func fetch(_ zone: String) async throws(TransportFailure) {
    while let known = device.data.zones[zone], known.hasNews {
      // NB: if `showsDeletedRecordTypes` is false, a fetch without a token returns no deletions. A
      // fetch with a token always returns them.
      let selection = ChangesSelection(
        resultsLimit: device.household.number(1...4),
        showsDeletedRecordTypes: known.token == nil || device.household.percent(50))
      let response = try await send(
        FetchZoneChanges.self,
        FetchZoneChanges.Request(zones: [
          .init(
            zoneID: ZoneID(zoneName: zone), syncToken: known.token, selection: selection)
        ]))
      guard let item = response.zones.first else {
        ledger.violated("no answer about \(zone)")
        return
      }
      switch item {
      case .failure(_, let error) where error.isExpiredToken:
        ledger.saw("expired zone token")
        device.say("the token of \(zone) has expired")
        device.data.zones[zone]?.token = nil
        sendKeptAgain(in: zone)
      case .failure(_, let error):
        if error.code != .zoneNotFound {
          ledger.violated("\(device.name): changes of \(zone) were refused: \(error)")
        }
        device.data.zones[zone]?.hasNews = false
        return
      case .changes(let page):
        guard device.data.zones[zone] != nil else { return }
        for record in page.records { take(record, in: zone) }
        device.data.zones[zone]?.token = page.syncToken
        device.data.zones[zone]?.hasNews = page.moreComing
      }
    }
  }

  private func take(_ item: RecordItem, in zone: String) {
    switch item {
    case .failure(let failure): ledger.violated("a feed had a failure: \(failure.error)")
    case .deleted(let tombstone):
      let key = RecordKey(zone: zone, name: tombstone.recordName)
      device.say("learns that \(key) is deleted")
      if key.isKept { ledger.violated("\(key) is gone, but no device deleted it") }
      drop(key)
    case .record(let record):
      let key = RecordKey(zone: zone, name: record.recordName)
      let marks = Marks.read(record.fields)
      device.say("fetches \(key) with marks \(marks.sorted()), tag \(record.recordChangeTag)")
      if device.data.deletions.contains(key) { return }
      let mine = device.data.records[key]?.marks ?? []
      if device.household.plan.rewinds, key.isKept, !mine.isSubset(of: marks) {
        // The server was restored to a state that is older than this device's data, so the device
        // sends the record again.
        device.data.saves.insert(key)
      }
      if device.data.saves.contains(key) {
        device.data.records[key]?.marks.formUnion(marks)
        device.data.records[key]?.tag = record.recordChangeTag
      } else {
        device.data.records[key] = HandRecord(marks: marks, tag: record.recordChangeTag)
      }
    }
  }
}

extension TransportFailure {
  fileprivate var isExpiredToken: Bool {
    if case .refused(let error, _, _) = self { error.isExpiredToken } else { false }
  }

  fileprivate var code: ErrorCode? {
    if case .refused(let error, _, _) = self { error.code } else { nil }
  }

  fileprivate var words: String {
    switch self {
    case .refused(let error, _, _): "\(error.code.rawValue), \(error.reason)"
    case .unreadable(_, let reason, _): reason
    case .network(let failure): "\(failure)"
    case .accountChanged: "another account"
    }
  }
}

extension ErrorDictionary {
  fileprivate var isExpiredToken: Bool {
    code == .badRequest && reason == Reason.syncTokenExpired
  }
}
