import StratusWire
import Testing

@testable import StratusDomain

/// A client follows the history of a zone whose old tombstones are removed. A client whose token
/// has expired drops its copy and starts again without a token.
@Suite struct ExpiredDeletions {
  /// A zone with the newest change of each record. A deleted record has a tombstone until
  /// ``forget(through:)`` removes it.
  private struct History {
    var zone = StoredZone(
      id: 42, database: .private(owner: Situation.anna), name: "Work", change: 0,
      clientChangeToken: nil)
    var rows: [String: (change: Int64, isDeleted: Bool)] = [:]

    var live: Set<String> { Set(rows.filter { !$0.value.isDeleted }.keys) }

    mutating func write(_ name: String, isDeleted: Bool = false) {
      zone.change += 1
      rows[name] = (zone.change, isDeleted)
    }

    /// Removes the tombstones up to this change number.
    mutating func forget(through change: Int64) {
      for (name, row) in rows where row.isDeleted && row.change <= change {
        rows[name] = nil
        zone.newestExpired = max(zone.newestExpired, row.change)
      }
    }
  }

  private enum Outcome { case more, end, expired }

  private struct Reader {
    var token: String?
    var known: Set<String> = []

    /// Reads one page. If the token has expired, the client drops its copy.
    mutating func readPage(
      of history: History, limit: Int, isReversed: Bool = false
    ) throws -> Outcome {
      let cursor: HistoryCursor
      do throws(ServerError) {
        cursor = try HistoryCursor(
          token: token, zone: history.zone, epoch: 1, isReversed: isReversed)
      } catch {
        #expect(error.reason == "sync token expired")
        (token, known) = (nil, [])
        return .expired
      }
      let range = cursor.range
      let page = history.rows.filter { $0.value.change > range.after }
        .filter { $0.value.change <= range.through }
        .sorted { ($0.value.change < $1.value.change) != cursor.isReversed }.prefix(limit)
      for (name, row) in page {
        if row.isDeleted { known.remove(name) } else { known.insert(name) }
      }
      let isComplete = page.last.map { cursor.isLast($0.value.change) } ?? true
      token = cursor.next(afterReading: page.last?.value.change, isComplete: isComplete).text
      return isComplete ? .end : .more
    }

    /// Reads pages until the end of the history or an expired token.
    mutating func read(
      _ history: History, limit: Int, isReversed: Bool = false, pagesMax: Int = 10
    ) throws -> [Outcome] {
      var outcomes: [Outcome] = []
      while outcomes.count < pagesMax {
        outcomes.append(try readPage(of: history, limit: limit, isReversed: isReversed))
        if outcomes.last != .more { break }
      }
      return outcomes
    }
  }

  @Test(arguments: [false, true])
  func `a client that starts again after an expired token ends with all records of the zone`(
    isReversed: Bool
  ) throws {
    var expiries = 0
    for seed in UInt64(1)...300 {
      var chance = Chance(seed: seed)
      var history = History()
      var reader = Reader()
      for _ in 0..<8 {
        for _ in 0..<(chance.next() % 8) {
          history.write("r\(chance.next() % 8)", isDeleted: chance.next() % 2 == 0)
        }
        if chance.next() % 2 == 0 {
          history.forget(through: Int64(chance.next() % UInt64(history.zone.change + 1)))
        }
        let limit = Int(chance.next() % 3) + 1
        // If `isReversed`, the client reads from the newest change to the oldest. The next run
        // reads the changes that were made in the meantime.
        for isReversed in isReversed ? [true, false] : [false] {
          var rounds = 0
          while true {
            let outcome = try reader.readPage(of: history, limit: limit, isReversed: isReversed)
            if outcome == .expired { expiries += 1 }
            if outcome == .end { break }
            rounds += 1
            if chance.next() % 3 == 0, rounds < 20 {
              history.write("r\(chance.next() % 8)", isDeleted: chance.next() % 2 == 0)
              history.forget(through: Int64(chance.next() % UInt64(history.zone.change + 1)))
            }
            try #require(rounds < 200, "seed \(seed): the history has no end")
          }
        }
        #expect(reader.known == history.live, "seed \(seed)")
      }
    }
    #expect(expiries > 100)
  }

  @Test(arguments: [false, true])
  func `a first sync continues when tombstones from before its start are removed`(
    isReversed: Bool
  ) throws {
    var history = History()
    for name in ["a", "b", "c", "d"] { history.write(name) }
    for name in ["c", "d"] { history.write(name, isDeleted: true) }
    for name in ["e", "f"] { history.write(name) }
    var reader = Reader()
    let first = try reader.read(history, limit: 1, isReversed: isReversed, pagesMax: 1)
    history.forget(through: 6)
    let others = try reader.read(history, limit: 1, isReversed: isReversed)
    #expect(first == [.more])
    #expect(others.last == .end)
    #expect(reader.known == ["a", "b", "e", "f"])
  }

  @Test
  func `a first sync restarts when the tombstone of a record that it has read is removed`() throws {
    var history = History()
    for name in ["a", "b", "c"] { history.write(name) }
    var reader = Reader()
    let first = try reader.read(history, limit: 1, pagesMax: 1)
    history.write("a", isDeleted: true)
    history.forget(through: 4)
    let second = try reader.read(history, limit: 1)
    let again = try reader.read(history, limit: 1)
    #expect(first == [.more])
    #expect(second == [.expired])
    #expect(again.last == .end)
    #expect(reader.known == ["b", "c"])
  }

  @Test func `a zone can be read to its end after its newest tombstones are removed`() throws {
    var history = History()
    for name in ["a", "b"] { history.write(name) }
    history.write("b", isDeleted: true)
    history.forget(through: 3)
    var reader = Reader()
    let first = try reader.read(history, limit: 5)
    #expect(first == [.more, .end])
    #expect(reader.known == ["a"])
    history.write("c")
    let second = try reader.read(history, limit: 5)
    #expect(second == [.end])
    #expect(reader.known == ["a", "c"])
  }

  @Test
  func `a token of an empty zone expires when a newer tombstone is removed`() throws {
    var history = History()
    var reader = Reader()
    let first = try reader.read(history, limit: 5)
    history.write("a")
    history.write("a", isDeleted: true)
    history.forget(through: 2)
    let second = try reader.read(history, limit: 5)
    #expect(first == [.end])
    #expect(second == [.expired])
  }
}
