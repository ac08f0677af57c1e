import CloudKit

extension ModelRun {
  /// The number of pages after which the test decides that a feed has no end.
  private static let pagesMax = 100

  /// One element of a page of a zone's feed.
  private enum Event {
    case changed(CKRecord.ID, Result<CKRecord, any Error>)
    case deleted(CKRecord.ID, CKRecord.RecordType)
    /// The feed has reported all changes up to this token.
    case token(CKServerChangeToken)
  }

  /// Reads a zone's feed page by page with the convenience method.
  mutating func followZone(
    _ zone: Int, limit: Int?, pages: Int?, on device: Int
  ) async throws {
    var told: Set<Int> = []
    for _ in 0..<(pages ?? Self.pagesMax) {
      let token = devices[device].feeds[zone]?.token
      let database = devices[device].database
      let result = await outcome {
        try await database.recordZoneChanges(
          inZoneWith: place.zoneID(zone), since: token, resultsLimit: limit)
      }
      guard case .success(let page) = result else {
        return try failed(zone, result.code, result.text, on: device)
      }
      let events =
        page.modificationResultsByID.map { Event.changed($0.key, $0.value.map(\.record)) }
        + page.deletions.map { Event.deleted($0.recordID, $0.recordType) }
      try Mismatch.require(
        events.count <= limit ?? .max, "\(events.count) changes in a page of \(limit ?? 0)")
      try take(events + [.token(page.changeToken)], of: zone, told: &told, on: device)
      if !page.moreComing { return try complete(zone, on: device) }
      sightings.insert(.anotherPage)
    }
    try Mismatch.require(pages != nil, "the feed of zone \(zone) does not end")
  }

  /// Reads the feeds of both custom zones to their ends with one operation.
  mutating func followZones(limit: Int?, on device: Int) async throws {
    let zones = [1, 2]
    let operation = CKFetchRecordZoneChangesOperation()
    operation.recordZoneIDs = zones.map(place.zoneID)
    var configurations: [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneConfiguration] = [:]
    for zone in zones {
      configurations[place.zoneID(zone)] =
        CKFetchRecordZoneChangesOperation.ZoneConfiguration(
          previousServerChangeToken: devices[device].feeds[zone]?.token, resultsLimit: limit)
    }
    operation.configurationsByRecordZoneID = configurations
    let (events, results) = try await run(operation, on: devices[device].database)
    for zone in zones {
      let zoneID = place.zoneID(zone)
      guard let result = results[zoneID] else { throw Mismatch("no result for \(zoneID)") }
      guard case .success(let token) = result else {
        try failed(zone, result.code, result.text, on: device)
        continue
      }
      var told: Set<Int> = []
      try take((events[zoneID] ?? []) + [.token(token)], of: zone, told: &told, on: device)
      try complete(zone, on: device)
    }
  }

  private func run(
    _ operation: CKFetchRecordZoneChangesOperation, on database: CKDatabase
  ) async throws -> (
    events: [CKRecordZone.ID: [Event]],
    results: [CKRecordZone.ID: Result<CKServerChangeToken, any Error>]
  ) {
    try await withCheckedThrowingContinuation { continuation in
      var events: [CKRecordZone.ID: [Event]] = [:]
      var results: [CKRecordZone.ID: Result<CKServerChangeToken, any Error>] = [:]
      operation.recordWasChangedBlock = { recordID, result in
        events[recordID.zoneID, default: []].append(.changed(recordID, result))
      }
      operation.recordWithIDWasDeletedBlock = { recordID, recordType in
        events[recordID.zoneID, default: []].append(.deleted(recordID, recordType))
      }
      operation.recordZoneChangeTokensUpdatedBlock = { zoneID, token, _ in
        if let token { events[zoneID, default: []].append(.token(token)) }
      }
      operation.recordZoneFetchResultBlock = { zoneID, result in
        results[zoneID] = result.map(\.serverChangeToken)
      }
      operation.fetchRecordZoneChangesResultBlock = { result in
        continuation.resume(with: result.map { (events, results) })
      }
      database.add(operation)
    }
  }

  /// Applies the changes of a feed. The feed must report only changed records, each once and in its
  /// latest state.
  private mutating func take(
    _ events: [Event], of zone: Int, told: inout Set<Int>, on device: Int
  ) throws {
    if let error = expectedError(of: zone, on: device) {
      throw Mismatch("zone \(zone) was read, expected \(error)")
    }
    guard let held = model.zones[zone] else { return }
    var feed = devices[device].feeds[zone] ?? ModelDevice.ZoneFeed()
    feed.incarnation = held.incarnation
    for event in events {
      switch event {
      case .token(let token):
        feed.token = token
        devices[device].bookmarks[zone, default: []].append(feed)
        if devices[device].bookmarks[zone, default: []].count > 4 {
          devices[device].bookmarks[zone]?.removeFirst()
        }
      case .changed(let recordID, let result):
        let key = try tell(recordID, in: zone, feed: feed, told: &told)
        guard case .success(let record) = result, let expected = held.records[key.name] else {
          throw Mismatch("the feed reports \(key), which the model lacks: \(result.text)")
        }
        try check(record, key, is: expected, "the feed's \(key)")
        feed.records[key.name] = expected
      case .deleted(let recordID, let recordType):
        let key = try tell(recordID, in: zone, feed: feed, told: &told)
        try Mismatch.require(
          held.records[key.name] == nil, "the feed deletes \(key), which exists")
        let type = held.deletedTypes[key.name].map(place.recordType)
        try Mismatch.require(
          recordType == type, "the feed deletes \(key) of type \(recordType), not \(type ?? "")")
        feed.records[key.name] = nil
        sightings.insert(.deletionTold)
      }
    }
    devices[device].feeds[zone] = feed
  }

  private func tell(
    _ recordID: CKRecord.ID, in zone: Int, feed: ModelDevice.ZoneFeed, told: inout Set<Int>
  ) throws -> RecordKey {
    guard let key = place.key(recordID), key.zone == zone else {
      throw Mismatch("the feed of zone \(zone) reports \(recordID)")
    }
    try Mismatch.require(told.insert(key.name).inserted, "the feed reports \(key) twice")
    guard let change = model.zones[zone]?.changes[key.name] else {
      throw Mismatch("the feed reports \(key), which never existed")
    }
    if let completeAt = feed.completeAt {
      try Mismatch.require(change > completeAt, "the feed reports \(key), which has not changed")
    }
    return key
  }

  /// Checks that a device that has read a feed to its end has exactly the model's records.
  private mutating func complete(_ zone: Int, on device: Int) throws {
    let found = devices[device].feeds[zone]?.records ?? [:]
    let expected = model.zones[zone]?.records ?? [:]
    for name in Set(found.keys).union(expected.keys).sorted() {
      try Mismatch.require(
        found[name] == expected[name],
        "after the last page of zone \(zone) device \(device) has \(found[name] as Any) "
          + "as record \(name), not \(expected[name] as Any)")
    }
    devices[device].feeds[zone]?.completeAt = model.moment
    let feed = devices[device].feeds[zone]
    if let feed, let last = devices[device].bookmarks[zone]?.indices.last {
      devices[device].bookmarks[zone]?[last] = feed
    }
  }

  /// Handles a feed that could not be read.
  private mutating func failed(
    _ zone: Int, _ code: CKError.Code?, _ text: String, on device: Int
  ) throws {
    // The default zone has no feed. Apple does not document the error code of such a read.
    if zone == 0 { return }
    let expected = expectedError(of: zone, on: device)
    try Mismatch.require(
      code != nil && code == expected,
      "reading zone \(zone): \(text), expected \(expected.map { "\($0)" } ?? "changes")")
    if code == .changeTokenExpired { sightings.insert(.expiredToken) }
    devices[device].feeds[zone] = nil
  }

  private func expectedError(of zone: Int, on device: Int) -> CKError.Code? {
    if zone == 0 { return .invalidArguments }
    guard let held = model.zones[zone] else { return .zoneNotFound }
    guard let incarnation = devices[device].feeds[zone]?.incarnation else { return nil }
    return incarnation == held.incarnation ? nil : .changeTokenExpired
  }

  /// Reads a zone from its beginning. Requests only some fields of the records.
  mutating func peek(
    _ zone: Int, limit: Int?, desiredKeys: [Int], on device: Int
  ) async throws {
    var token: CKServerChangeToken?
    var names: Set<Int> = []
    let database = devices[device].database
    for _ in 0..<Self.pagesMax {
      let since = token
      let result = await outcome {
        try await database.recordZoneChanges(
          inZoneWith: place.zoneID(zone), since: since,
          desiredKeys: desiredKeys.map { "field\($0)" }, resultsLimit: limit)
      }
      guard let held = model.zones[zone] else {
        return try Mismatch.require(
          result.code == .zoneNotFound, "reading zone \(zone): \(result.text)")
      }
      guard case .success(let page) = result else {
        throw Mismatch("reading zone \(zone): \(result.text)")
      }
      for (recordID, change) in page.modificationResultsByID {
        guard let key = place.key(recordID), var expected = held.records[key.name],
          case .success(let modification) = change
        else { throw Mismatch("zone \(zone) has \(recordID), which the model lacks") }
        expected.fields = expected.fields.filter { desiredKeys.contains($0.key) }
        try check(modification.record, key, is: expected, "a part of \(key)")
        names.insert(key.name)
      }
      token = page.changeToken
      if !page.moreComing {
        return try Mismatch.require(
          names == Set(held.records.keys), "zone \(zone) told of \(names) from nothing")
      }
    }
    throw Mismatch("the feed of zone \(zone) has no end")
  }
}
