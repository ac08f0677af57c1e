import Foundation
import StratusProgress
import StratusTesting
import StratusTransport
import StratusWire

/// Kills a server again and again during writes, and checks its data after each restart.
struct CrashRounds {
  static let writersCount = 6

  let binary: ServerBinary
  let data: URL
  let ledger: Ledger
  var chance: SeededChance
  /// Copies of readers with the tokens that they had before a kill.
  private var moments: [Reader] = []
  private(set) var startDurations: [Duration] = []
  private(set) var writesCount = 0
  /// The number of batches that had no answer when the server was killed, and how many of these
  /// batches the server had stored.
  private(set) var openCount = 0
  private(set) var openDoneCount = 0
  private(set) var liveChecksCount = 0
  private(set) var faults: [String] = []

  init(binary: ServerBinary, data: URL, seed: UInt64) {
    self.binary = binary
    self.data = data
    chance = SeededChance(seed: seed)
    ledger = Ledger(
      lanes: (0..<Self.writersCount).flatMap { writer in
        CrashZones.ids.indices.map { WriterRecords(zone: $0, prefix: "writer\(writer)-") }
      })
  }

  /// In each round, writes and reads until the server is killed, starts the server again, and
  /// compares the records with the ledger.
  mutating func run(rounds: Int) async throws {
    var server = try await ServerProcess.start(binary, data: data)
    try await makeZones(over: server.connect(as: "maker"))
    let begin = ContinuousClock.now
    let line = ProgressLine { Int64((ContinuousClock.now - begin) / .milliseconds(1)) }
    line.begin("crash test", total: Int64(rounds), unit: .count("kills"))
    defer { line.end() }
    for round in 1...rounds {
      line.advance(to: Int64(round - 1))
      await writeUntilKilled(server)
      await server.waitForEnd()
      server = try await ServerProcess.start(binary, data: data)
      startDurations.append(server.startDuration)
      let before = faults.count
      do { try await compare(over: server.connect(as: "checker")) } catch {
        faults.append("the comparison failed: \(error)")
      }
      faults += ledger.faults
      for index in before..<faults.count { faults[index] = "round \(round): " + faults[index] }
      if !faults.isEmpty { break }
    }
    server.killHard()
    await server.waitForEnd()
  }

  func makeZones(over connection: Connection) async throws {
    let answer = try await connection.send(
      ModifyZones.self,
      ModifyZones.Request(operations: CrashZones.ids.map { ModifyZones.Operation(.create, $0) }),
      to: .private, isIdempotent: true)
    for zone in answer.zones {
      if case .failure(_, let error) = zone { throw error }
    }
  }

  mutating func writeUntilKilled(_ server: ServerProcess) async {
    ledger.arm(killAt: Int.random(in: 10...250, using: &chance)) { server.killHard() }
    await load(over: server.connect(as: "writer"))
    // A writer ends early if it gets an error. In this case, the server must be killed here.
    server.killHard()
  }

  /// Runs the writers and the readers until the ledger's round ends.
  ///
  /// - Parameter refusals: counts writes that a full disk refuses. If it is nil, a refusal is a
  ///   fault.
  mutating func load(over connection: Connection, refusals: Refusals? = nil) async {
    let writers = (0..<Self.writersCount).map { writer in
      Writer(
        ledger: ledger,
        laneIndices: CrashZones.ids.indices.map { writer * CrashZones.ids.count + $0 },
        connection: connection, chance: chance.split(), refusals: refusals)
    }
    let readers = CrashZones.ids.indices.map { zone in
      let known = moments.filter { $0.zone == zone }.randomElement(using: &chance)
      return LiveReader(
        ledger: ledger, connection: connection, chance: chance.split(),
        reader: known ?? Reader(zone: zone))
    }
    await withTaskGroup(of: LiveReader?.self) { group in
      for writer in writers {
        group.addTask {
          var writer = writer
          await writer.run()
          return nil
        }
      }
      for reader in readers {
        group.addTask {
          var reader = reader
          await reader.run()
          return reader
        }
      }
      var writing = writers.count
      for await reader in group {
        if let reader {
          liveChecksCount += reader.checkedCount
          moments += reader.moments
        } else {
          writing -= 1
          // When the last writer has ended, even early, the readers must end, too.
          if writing == 0 { ledger.end() }
        }
      }
    }
    writesCount += ledger.acknowledgedCount
  }

  mutating func compare(over connection: Connection) async throws {
    for zone in CrashZones.ids.indices {
      var fresh = Reader(zone: zone)
      try await fresh.readAll(over: connection)
      try await compareMoments(of: zone, with: fresh, over: connection)
      for (index, lane) in ledger.lanes.enumerated() where lane.zone == zone {
        compare(lane, at: index, with: fresh)
      }
    }
    try await compareAndSet(over: connection)
    moments = CrashZones.ids.indices.flatMap { zone in
      moments.filter { $0.zone == zone }.shuffled(using: &chance).prefix(6)
    }
  }

  /// Checks that a sync from a token before the kill gives the same records as a sync without a
  /// token.
  private mutating func compareMoments(
    of zone: Int, with fresh: Reader, over connection: Connection
  ) async throws {
    for moment in moments where moment.zone == zone {
      var reader = moment
      try await reader.readAll(over: connection, limit: Int.random(in: 5...200, using: &chance))
      let wrong = Set(reader.records.keys).union(fresh.records.keys)
        .filter { reader.records[$0] != fresh.records[$0] }
      if let name = wrong.sorted().first {
        faults.append(
          "a token from before a kill is wrong for \(wrong.count) records of zone \(zone), "
            + "for example \(name): \(text(reader.records[name])) "
            + "instead of \(text(fresh.records[name]))")
      }
    }
  }

  private mutating func compare(_ lane: WriterRecords, at index: Int, with fresh: Reader) {
    let found = lane.part(of: fresh.records)
    let tags = fresh.records.filter { found[$0.key] != nil }.mapValues(\.tag)
    guard let place = lane.place(of: found, from: lane.acknowledgedCount) else {
      faults.append(describe(lane, found))
      return
    }
    if lane.issuedCount > lane.acknowledgedCount {
      openCount += 1
      openDoneCount += place == lane.issuedCount ? 1 : 0
    }
    for (name, number) in found where number == lane.acknowledged[name] {
      if let tag = lane.tags[name], tag != tags[name] {
        faults.append("\(name) of zone \(lane.zone) does not have the acknowledged tag")
      }
    }
    ledger.settle(index, on: found, tags: tags)
  }

  private func describe(_ lane: WriterRecords, _ found: WriterRecords.State) -> String {
    let expected = lane.acknowledged
    let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
    let details = wrong.prefix(6).map { name in
      "\(name): found \(text(found[name])), acknowledged \(text(expected[name])), "
        + "open batch \(text(lane.states[lane.issuedCount][name]))"
    }
    return "zone \(lane.zone), \(lane.prefix): the state is neither the acknowledged one "
      + "nor that of the open batch; \(details.joined(separator: "; "))"
  }

  /// Checks that a save with an acknowledged tag succeeds, and that a save with an earlier tag is
  /// refused.
  private mutating func compareAndSet(over connection: Connection) async throws {
    for index in ledger.lanes.indices.shuffled(using: &chance).prefix(4) {
      let lane = ledger.lane(index)
      guard let name = lane.acknowledged.keys.sorted().randomElement(using: &chance),
        let tag = lane.tags[name]
      else { continue }
      if let stale = lane.staleTags[name], stale != tag {
        try await requireConflict(name, tag: stale, current: tag, lane: lane, over: connection)
      }
      let writer = Writer(
        ledger: ledger, laneIndices: [index], connection: connection, chance: chance)
      let batch = WriterRecords.Batch(number: lane.newestNumber + 1, saved: [name])
      let save = Writer.save(.update, name, tag: tag, number: batch.number, text: "after the kill")
      if await !writer.send([save], as: batch, in: index) {
        faults.append("\(name): a save with the acknowledged tag is refused after the kill")
      }
      let now = ledger.lane(index)
      ledger.settle(index, on: now.acknowledged, tags: now.tags)
    }
  }

  private mutating func requireConflict(
    _ name: String, tag: String, current: String, lane: WriterRecords, over connection: Connection
  ) async throws {
    let save = Writer.save(.update, name, tag: tag, number: -1, text: "stale")
    let answer = try await connection.send(
      ModifyRecords.self,
      ModifyRecords.Request(zoneID: CrashZones.ids[lane.zone], operations: [save]),
      to: .private, isIdempotent: false)
    guard case .failure(let failure)? = answer.records.first, failure.error.code == .conflict,
      failure.serverRecord?.recordChangeTag == current
    else {
      faults.append("\(name): a save with a stale tag after the kill gives no conflict")
      return
    }
  }

  private func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "nothing" }
}
