import StratusTesting
import StratusTransport
import StratusWire

/// Reads a zone's changes. Has a token and the records from all changes up to that token.
struct Reader: Sendable {
  let zone: Int
  private(set) var token: String?
  private(set) var records: [String: FoundRecord] = [:]

  init(zone: Int) { self.zone = zone }

  /// Fetches one page.
  ///
  /// - Returns: whether there are more pages.
  /// - Throws: ``TransportFailure``, or the zone's ``ErrorDictionary``.
  mutating func readPage(over connection: Connection, limit: Int?) async throws -> Bool {
    let item = FetchZoneChanges.Item(
      zoneID: CrashZones.ids[zone], syncToken: token,
      selection: ChangesSelection(resultsLimit: limit))
    let answer = try await connection.send(
      FetchZoneChanges.self, FetchZoneChanges.Request(zones: [item]), to: .private,
      isIdempotent: false, options: Connection.Options(requestTimeoutSeconds: 20))
    for zone in answer.zones {
      switch zone {
      case .failure(_, let error): throw error
      case .changes(let changes):
        for item in changes.records { try take(item) }
        token = changes.syncToken
        return changes.moreComing
      }
    }
    throw WireError("no zone in the answer")
  }

  private mutating func take(_ item: RecordItem) throws {
    switch item {
    case .failure(let failure): throw failure.error
    case .deleted(let tombstone): records[tombstone.recordName] = nil
    case .record(let record):
      guard
        case .int64(let number)? = try record.fields.values().first(where: { $0.key == "number" })?
          .value
      else { throw WireError("\(record.recordName) has no number") }
      records[record.recordName] = FoundRecord(number: number, tag: record.recordChangeTag)
    }
  }

  /// Fetches all remaining pages.
  mutating func readAll(over connection: Connection, limit: Int? = nil) async throws {
    while try await readPage(over: connection, limit: limit) {}
  }
}

/// Reads one zone's changes during writes, until the round ends. After the last page of a fetch,
/// the records of each writer must be in the state after a complete batch.
struct LiveReader {
  let ledger: Ledger
  let connection: Connection
  var chance: SeededChance
  var reader: Reader
  /// Copies of the reader at random moments. The test uses their tokens after the kill.
  private(set) var moments: [Reader] = []
  private(set) var checkedCount = 0

  init(ledger: Ledger, connection: Connection, chance: SeededChance, reader: Reader) {
    self.ledger = ledger
    self.connection = connection
    self.chance = chance
    self.reader = reader
  }

  mutating func run() async {
    do {
      while !ledger.isDead {
        let before = ledger.lanes.map(\.acknowledgedCount)
        var hasMore = true
        while hasMore {
          hasMore = try await reader.readPage(
            over: connection, limit: Int.random(in: 3...60, using: &chance))
          if moments.count < 4 || chance.percent(5) {
            if moments.count == 4 { moments.remove(at: Int.random(in: 0..<4, using: &chance)) }
            moments.append(reader)
          }
        }
        check(acknowledgedBefore: before)
      }
    } catch {
      if !ledger.isDead { ledger.note(fault: "a read from a running server failed: \(error)") }
    }
  }

  private mutating func check(acknowledgedBefore before: [Int]) {
    checkedCount += 1
    for (index, lane) in ledger.lanes.enumerated() where lane.zone == reader.zone {
      if lane.place(of: lane.part(of: reader.records), from: before[index]) == nil {
        ledger.note(fault: "a reader of a running server saw a partial batch of \(lane.prefix)")
      }
    }
  }
}
