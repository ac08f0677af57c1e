import StratusTesting
import StratusTransport
import StratusWire

/// Sends queries and look-ups for the writers' records until the ledger's round ends.
struct Querier {
  let ledger: Ledger
  let connection: Connection
  var chance: SeededChance

  mutating func run() async {
    while !ledger.isDead {
      let zoneID = CrashZones.ids.randomElement(using: &chance) ?? CrashZones.ids[0]
      do {
        // There is no record type before the first save.
        if chance.percent(50), ledger.acknowledgedCount > 0 {
          try await query(zoneID)
        } else {
          let lane = ledger.lanes.randomElement(using: &chance)
          try await lookUp((0..<20).map { "\(lane?.prefix ?? "")\($0)" }, in: zoneID)
        }
      } catch {
        if !ledger.isDead { ledger.note(fault: "a query of a running server failed: \(error)") }
        return
      }
    }
  }

  private func query(_ zoneID: ZoneID) async throws {
    let query = Query(
      recordType: Writer.recordType,
      filters: [.field(FieldFilter(.greaterThan, QueryKey(field: "number"), .int64(1)))],
      sorts: [QuerySort(QueryKey(field: "number"), isAscending: false)])
    _ = try await connection.send(
      QueryRecords.self, .init(query: query, zoneID: zoneID, resultsLimit: 50), to: .private,
      isIdempotent: true, options: Connection.Options(requestTimeoutSeconds: 20))
  }

  private func lookUp(_ names: [String], in zoneID: ZoneID) async throws {
    _ = try await connection.send(
      LookupRecords.self, .init(zoneID: zoneID, recordNames: names), to: .private,
      isIdempotent: true, options: Connection.Options(requestTimeoutSeconds: 20))
  }
}
