import StratusTransport
import StratusWire

/// One sync round of a device without an engine: sends pending changes, then fetches new ones.
struct HandSync {
  let device: HandDevice
  let life: Life

  private var ledger: Ledger { device.household.ledger }

  /// NB: a round that fails is simply repeated; every change is kept until it is answered.
  func run() async {
    do throws(TransportFailure) {
      try await sendZones()
      try await sendRecords()
      if !device.household.isCalm, device.household.percent(20) { return }
      try await fetchDatabase()
      for zone in device.data.zones.keys.sorted() { try await fetch(zone) }
    } catch {
      ledger.saw("failed round")
      device.say("gives up for now: \(error.words)")
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
      for (place, item) in zip(saves + deletions, response.records) {
        settle(place, item, sent: sent[place])
      }
    }
  }

  private func operation(saving place: Place) -> RecordOperation {
    let record = device.data.records[place] ?? HandRecord()
    return RecordOperation(
      record.tag == nil ? .create : .update, recordName: place.name, recordType: Marks.recordType,
      recordChangeTag: record.tag,
      fields: try? JSONView(parsing: Marks.fields(record.marks).text))
  }

  private func settle(_ place: Place, _ item: RecordItem, sent: HandRecord?) {
    switch item {
    case .deleted: device.data.deletions.remove(place)
    case .record(let saved):
      device.say("saved \(place) as \(saved.recordChangeTag)")
      if device.data.records[place]?.marks == sent?.marks { device.data.saves.remove(place) }
      device.data.records[place]?.tag = saved.recordChangeTag
      if let sent { ledger.promise(sent.marks, at: place, of: Cloud.user) }
    case .failure(let failure): settle(place, failure)
    }
  }

  private func settle(_ place: Place, _ failure: RecordFailure) {
    switch failure.error.code {
    case .conflict:
      ledger.saw("conflict")
      guard let server = failure.serverRecord else {
        ledger.violated("a conflict about \(place) came without the server's record")
        return
      }
      device.say("conflict about \(place), the server has \(server.recordChangeTag)")
      device.data.records[place]?.marks.formUnion(Marks.read(server.fields))
      device.data.records[place]?.tag = server.recordChangeTag
    case .notFound:
      device.say("\(place) is gone")
      if device.data.deletions.remove(place) != nil { return }
      if place.isKept { device.data.records[place]?.tag = nil } else { drop(place) }
    case .zoneNotFound: loseZone(place.zone)
    case .atomicError, .tryAgainLater, .throttled: return
    case .accessDenied, .authenticationFailed, .authenticationRequired, .badRequest, .exists,
      .internalError, .quotaExceeded, .validatingReferenceError:
      ledger.violated("\(device.name): \(place) was refused: \(failure.error)")
    }
  }

  private func drop(_ place: Place) {
    device.data.records[place] = nil
    device.data.saves.remove(place)
  }

  /// Handles a zone that the server does not have: the permanent zone is created again, other zones
  /// are dropped.
  private func loseZone(_ zone: String) {
    device.say("\(zone) is gone")
    guard zone == Place.keptZone else {
      device.data.forget(zone: zone)
      return
    }
    if !device.household.plan.rewinds, !device.data.zoneSaves.contains(zone) {
      ledger.violated("nobody deleted the zone \(zone), and it is gone")
    }
    device.data.zoneSaves.insert(zone)
    device.data.zones[zone] = HandZone()
    sendKeptAgain(in: zone)
  }

  /// After a restore, saves the records that must last and drops the data that may be gone.
  private func sendKeptAgain(in zone: String) {
    for (place, record) in device.data.records where place.zone == zone {
      if place.isKept {
        device.data.saves.insert(place)
      } else if record.tag != nil || !device.data.saves.contains(place) {
        drop(place)
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
        device.say("the database's token is stale")
        (device.data.databaseToken, token) = (nil, nil)
        isFromNothing = true
        listed = []
        continue
      }
      for zone in page.zones { take(zone, into: &listed) }
      token = page.syncToken
      // NB: in a reading from nothing, only the complete list shows which zones are missing.
      if !isFromNothing || !page.moreComing { device.data.databaseToken = token }
      if page.moreComing { continue }
      if isFromNothing { expireZones(notIn: listed) }
      return
    }
  }

  private func take(_ zone: ZoneDictionary, into listed: inout Set<String>) {
    let name = zone.zoneID.zoneName
    if zone.isDeleted {
      device.say("hears that \(name) is deleted")
      if name == Place.keptZone { ledger.violated("the kept zone was reported as deleted") }
      guard device.data.zoneSaves.contains(name) else {
        device.data.forget(zone: name)
        return
      }
      // The zone is about to be created again; the server's old contents of it are gone all the
      // same.
      device.data.zones[name] = HandZone()
      for (place, record) in device.data.records where place.zone == name && record.tag != nil {
        drop(place)
      }
    } else {
      listed.insert(name)
      if device.data.zoneDeletions.contains(name) { return }
      device.data.zones[name, default: HandZone()].hasNews = true
    }
  }

  /// After a reading from nothing, drops the records that were not listed.
  private func expireZones(notIn listed: Set<String>) {
    for zone in device.data.zones.keys.sorted() where !listed.contains(zone) {
      if !device.data.zoneSaves.contains(zone) { loseZone(zone) }
    }
  }

  private func fetch(_ zone: String) async throws(TransportFailure) {
    while let known = device.data.zones[zone], known.hasNews {
      // NB: without record types, a reading from nothing has no deletions; a reading from a token
      // has them.
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
        device.say("the token of \(zone) is stale")
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
      let place = Place(zone: zone, name: tombstone.recordName)
      device.say("hears that \(place) is deleted")
      if place.isKept { ledger.violated("nobody deleted \(place), and it is gone") }
      drop(place)
    case .record(let record):
      let place = Place(zone: zone, name: record.recordName)
      let marks = Marks.read(record.fields)
      device.say("hears that \(place) is \(marks.sorted()) as \(record.recordChangeTag)")
      if device.data.deletions.contains(place) { return }
      let mine = device.data.records[place]?.marks ?? []
      if device.household.plan.rewinds, place.isKept, !mine.isSubset(of: marks) {
        // The server was restored to a state before this device's data: the device sends the record
        // again.
        device.data.saves.insert(place)
      }
      if device.data.saves.contains(place) {
        device.data.records[place]?.marks.formUnion(marks)
        device.data.records[place]?.tag = record.recordChangeTag
      } else {
        device.data.records[place] = HandRecord(marks: marks, tag: record.recordChangeTag)
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
