import CloudKit

/// One run of a sequence of steps. The framework sends each step to the server, and the model
/// carries out the same step. Then the results are compared.
struct ModelRun {
  let place: Arena.Place
  var model = ModelServer()
  var devices: [ModelDevice]
  var tags = TagBook()
  var sightings: Set<Sighting> = []

  init(in place: Arena.Place) {
    self.place = place
    devices = place.databases.map { ModelDevice(database: $0) }
  }

  /// Runs a sequence. At the end, every device reads the server's changes.
  ///
  /// - Returns: the rare events of the sequence.
  /// - Throws: ``Mismatch`` if the server and the model differ.
  @discardableResult
  static func run(_ steps: [Step], in arena: Arena) async throws -> Set<Sighting> {
    var run = ModelRun(in: try await arena.place())
    for step in steps { try await run.perform(step) }
    try await run.finish()
    return run.sightings
  }

  private mutating func perform(_ step: Step) async throws {
    switch step {
    case .saveZone(let device, let zone): try await saveZone(zone, on: device)
    case .deleteZone(let device, let zone): try await deleteZone(zone, on: device)
    case .modify(let device, let modification): try await modify(modification, on: device)
    case .fetch(let device, let keys, let desiredKeys):
      try await fetch(keys, desiredKeys: desiredKeys, on: device)
    case .followZone(let device, let zone, let limit, let pages):
      try await followZone(zone, limit: limit, pages: pages, on: device)
    case .followZones(let device, let limit): try await followZones(limit: limit, on: device)
    case .followDatabase(let device, let limit, let pages):
      try await followDatabase(limit: limit, pages: pages, on: device)
    case .peek(let device, let zone, let limit, let desiredKeys):
      try await peek(zone, limit: limit, desiredKeys: desiredKeys, on: device)
    case .forget(let device, let zone):
      devices[device].feeds[zone] = nil
    case .rewind(let device, let zone):
      if let bookmark = devices[device].bookmarks[zone]?.first {
        devices[device].feeds[zone] = bookmark
      }
    }
  }

  /// Checks that every device has the same records as the server and the model at the end.
  private mutating func finish() async throws {
    for device in devices.indices {
      try await followDatabase(limit: nil, pages: nil, on: device)
      if device == 0 {
        try await followZones(limit: 3, on: device)
      } else {
        for zone in model.customZones.sorted() {
          // NB: the first read may fail because the device's token has expired.
          try await followZone(zone, limit: nil, pages: nil, on: device)
          try await followZone(zone, limit: nil, pages: nil, on: device)
        }
      }
    }
    let keys = model.zones.keys.sorted().flatMap { zone in
      (0..<StepGenerator.namesCount).map { RecordKey(zone: zone, name: $0) }
    }
    try await fetch(keys, desiredKeys: nil, on: 1)
  }

  // Zones.

  private mutating func saveZone(_ zone: Int, on device: Int) async throws {
    let zoneID = place.zoneID(zone)
    let saved = try await devices[device].database.save(CKRecordZone(zoneID: zoneID))
    try Mismatch.require(saved.zoneID == zoneID, "saving \(zoneID) answered \(saved.zoneID)")
    model.saveZone(zone)
  }

  private mutating func deleteZone(_ zone: Int, on device: Int) async throws {
    let expected = model.deleteZone(zone)
    let database = devices[device].database
    let result = await outcome { try await database.deleteRecordZone(withID: place.zoneID(zone)) }
    try Mismatch.require(
      result.code == expected && (expected != nil) == (result.code != nil),
      "deleting zone \(zone): \(result.text), expected \(expected.map { "\($0)" } ?? "success")")
  }

  // Records.

  private mutating func fetch(
    _ keys: [RecordKey], desiredKeys: [Int]?, on device: Int
  ) async throws {
    let results = try await devices[device].database.records(
      for: keys.map(place.recordID), desiredKeys: desiredKeys?.map { "field\($0)" })
    try Mismatch.require(results.count == keys.count, "\(results.count) results of \(keys.count)")
    for key in keys {
      guard let result = results[place.recordID(key)] else {
        throw Mismatch("no result for \(key)")
      }
      guard let expected = model.record(key) else {
        let code: CKError.Code = model.zones[key.zone] == nil ? .zoneNotFound : .unknownItem
        try Mismatch.require(
          result.code == code, "fetching \(key): \(result.text), expected \(code)")
        continue
      }
      guard case .success(let record) = result else {
        throw Mismatch("fetching \(key): \(result.text), expected a record")
      }
      var seen = expected
      if let desiredKeys { seen.fields = seen.fields.filter { desiredKeys.contains($0.key) } }
      if seen.fields != expected.fields { sightings.insert(.partialRecord) }
      try check(record, key, is: seen, "fetched \(key)")
      devices[device].hold(
        ModelDevice.Copy(
          record: record, type: seen.type, fields: seen.fields, parent: seen.parent,
          version: seen.version), key)
    }
  }

  /// Compares a record with the model's expectation.
  mutating func check(
    _ record: CKRecord, _ key: RecordKey, is expected: ModelServer.Record, _ context: String
  ) throws {
    try Mismatch.require(
      record.recordID == place.recordID(key), "\(context) is \(record.recordID)")
    try Mismatch.require(
      record.recordType == place.recordType(expected.type),
      "\(context) is of type \(record.recordType), not \(place.recordType(expected.type))")
    try record.require(expected.fields, context)
    try record.require(parent: expected.parent, context)
    try tags.check(record, key, version: expected.version)
  }

  /// Returns the result of a call, or its error.
  func outcome<Success>(
    _ call: () async throws -> Success
  ) async -> Result<Success, any Error> {
    do { return .success(try await call()) } catch { return .failure(error) }
  }
}
