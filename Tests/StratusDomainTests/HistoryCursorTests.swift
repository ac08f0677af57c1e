import StratusWire
import Testing

@testable import StratusDomain

/// A client reads a zone's history to its end while the zone changes.
@Suite struct HistoryCursors {
  /// A zone with only the newest change of each record, as in the store.
  private struct History {
    var zone = StoredZone(
      id: 42, database: .private(owner: Situation.anna), name: "Work", change: 0,
      clientChangeToken: nil)
    var newest: [String: Int64] = [:]

    mutating func write(_ name: String) {
      zone.change += 1
      newest[name] = zone.change
    }

    func page(_ cursor: HistoryCursor, limit: Int) -> [(name: String, change: Int64)] {
      let range = cursor.range
      let found = newest.map { (name: $0.key, change: $0.value) }
        .filter { $0.change > range.after && $0.change <= range.through }
        .sorted { cursor.isReversed ? $0.change > $1.change : $0.change < $1.change }
      return Array(found.prefix(limit))
    }
  }

  private struct Reader {
    var token: String?
    var known: [String: Int64] = [:]

    /// Reads one page. Returns false if there are no more pages.
    mutating func readPage(
      of history: History, limit: Int, isReversed: Bool
    ) throws -> Bool {
      let cursor = try HistoryCursor(
        token: token, zone: history.zone, epoch: 1, isReversed: isReversed)
      let page = history.page(cursor, limit: limit)
      for item in page { known[item.name] = max(known[item.name] ?? 0, item.change) }
      let isComplete = page.last.map { cursor.isLast($0.change) } ?? true
      token = cursor.next(afterReading: page.last?.change, isComplete: isComplete).text
      return !isComplete
    }
  }

  @Test(arguments: [false, true])
  func `a client that reads a zone's history to its end has the zone's records`(isReversed: Bool)
    throws
  {
    for seed in UInt64(1)...200 {
      var chance = Chance(seed: seed)
      var history = History()
      var reader = Reader()
      for _ in 0..<6 {
        for _ in 0..<(chance.next() % 8) { history.write("r\(chance.next() % 10)") }
        let limit = Int(chance.next() % 4) + 1
        var rounds = 0
        while try reader.readPage(of: history, limit: limit, isReversed: isReversed) {
          rounds += 1
          if chance.next() % 3 == 0, rounds < 20 { history.write("r\(chance.next() % 10)") }
          try #require(rounds < 200, "seed \(seed): the history has no end")
        }
        // A run in reverse returns the changes from before the run. The next run reads the changes
        // that were made in the meantime.
        while try reader.readPage(of: history, limit: limit, isReversed: false) {}
        #expect(reader.known == history.newest, "seed \(seed)")
      }
    }
  }

  @Test func `a sync in reverse returns the newest change first`() throws {
    var history = History()
    for name in ["a", "b", "c", "a"] { history.write(name) }
    let cursor = try HistoryCursor(token: nil, zone: history.zone, epoch: 1, isReversed: true)
    #expect(history.page(cursor, limit: 10).map(\.name) == ["a", "c", "b"])
  }

  @Test func `a change token of a database is not valid for a zone`() {
    let token = ChangeToken(subject: .database, epoch: 1, incarnation: 42, change: 0).text
    #expect(throws: ServerError.self) {
      try HistoryCursor(token: token, zone: History().zone, epoch: 1, isReversed: false)
    }
  }
}
