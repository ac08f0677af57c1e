import Foundation
import StratusTesting
import StratusTransport

/// Runs a mixed load while the server is disturbed by stalled clients, a clock that jumps, a full
/// disk, backups and SIGKILL. No acknowledged write may be lost. The memory and the descriptors of
/// the server must return to their earlier level.
struct MixedSoak {
  /// A disturbance of the server during the load.
  enum Disturbance: String, CaseIterable {
    case none, stalledClients, clockJumps, fullDisk, backup
  }

  /// A server may use this much more memory, and this many more descriptors, than at the end of
  /// its first load. Caches grow, and some connections have not timed out yet.
  private static let megabytesMore = 48
  private static let descriptorsMore = 12
  /// The number of seconds after the disturbances in which the server's memory and descriptors must
  /// return to their earlier level. In this time, it closes the connections of disconnected
  /// clients.
  private static let calmSeconds = 45
  /// The maximum number of seconds by which the clock is moved. Web auth tokens are valid for a
  /// longer time.
  private static let clockSecondsMax: Int64 = 21_600

  let binary: ServerBinary
  let data: URL
  let folder: URL
  let machine: SoakMachine
  /// The duration of each disturbance.
  let phase: Duration
  private(set) var rounds: CrashRounds
  private(set) var faults: [String] = []
  private(set) var counts: [Disturbance: Int] = [:]
  private(set) var refusedCount = 0
  private(set) var killsCount = 0

  init(
    binary: ServerBinary, folder: URL, machine: SoakMachine, phase: Duration, seed: UInt64
  ) {
    self.binary = binary
    self.folder = folder
    self.machine = machine
    self.phase = phase
    data = (machine.disk ?? folder).appendingPathComponent("data")
    rounds = CrashRounds(binary: binary, data: data, seed: seed)
  }

  var writesCount: Int { rounds.writesCount }

  /// Runs one server after another until the time is over or a fault is found.
  mutating func run(until end: ContinuousClock.Instant) async throws {
    var server = try await start()
    try await rounds.makeZones(over: server.connect(as: "maker"))
    while faults.isEmpty, ContinuousClock.now < end || killsCount == 0 {
      try await live(server)
      await rounds.writeUntilKilled(server)
      await server.waitForEnd()
      killsCount += 1
      server = try await start()
      try await compare(over: server.connect(as: "checker"), after: "a kill")
    }
    server.killHard()
    await server.waitForEnd()
  }

  private func start() async throws -> ServerProcess {
    try await ServerProcess.start(binary, data: data, environment: machine.environment)
  }

  /// Disturbs a server in all ways, in a random order.
  private mutating func live(_ server: ServerProcess) async throws {
    let connection = server.connect(as: "mixed")
    try await disturb(server, connection, .none)
    guard let first = ProcessFigures(of: server.processID) else { return }
    for disturbance in Disturbance.allCases.shuffled(using: &rounds.chance) {
      try await disturb(server, connection, disturbance)
      if !faults.isEmpty { return }
    }
    let isCalm = await SoakTime.wait(atMost: .seconds(Self.calmSeconds)) {
      guard let now = ProcessFigures(of: server.processID) else { return false }
      return now.descriptorsCount <= first.descriptorsCount + Self.descriptorsMore
        && now.residentMegabytes <= first.residentMegabytes + Self.megabytesMore
    }
    let last = ProcessFigures(of: server.processID)
    print("mixed soak: \(first.text) after the first load, \(last?.text ?? "none") at the end")
    if !isCalm {
      faults.append(
        "after the disturbances the server has \(last?.text ?? "nothing"); at first it had "
          + first.text)
    }
  }

  /// Disturbs the server under load, and compares its records with the ledger.
  private mutating func disturb(
    _ server: ServerProcess, _ connection: Connection, _ disturbance: Disturbance
  ) async throws {
    if disturbance == .clockJumps, !machine.canMoveClock { return }
    if disturbance == .fullDisk, !machine.canFillDisk { return }
    counts[disturbance, default: 0] += 1
    let ledger = rounds.ledger
    ledger.arm(killAt: .max) {}
    let refusals = disturbance == .fullDisk ? Refusals() : nil
    let querier = Querier(
      ledger: ledger, connection: connection, chance: rounds.chance.split())
    let act = act(disturbance, on: server)
    let found = await withTaskGroup(of: [String].self) { group in
      group.addTask {
        var querier = querier
        await querier.run()
        return []
      }
      group.addTask {
        defer { ledger.end() }
        do { return try await act() } catch { return ["\(disturbance): \(error)"] }
      }
      await rounds.load(over: connection, refusals: refusals)
      var found: [String] = []
      for await faults in group { found += faults }
      return found
    }
    faults += found
    refusedCount += refusals?.total ?? 0
    try await compare(over: connection, after: disturbance.rawValue)
  }

  /// Returns a function that disturbs the server during the load. The function returns the faults
  /// that it finds.
  private mutating func act(
    _ disturbance: Disturbance, on server: ServerProcess
  ) -> @Sendable () async throws -> [String] {
    let (machine, phase, ledger) = (machine, phase, rounds.ledger)
    switch disturbance {
    case .none:
      return {
        await SoakTime.pass(phase)
        return []
      }
    case .stalledClients:
      return {
        var lines: [AssetLine] = []
        defer { for line in lines { line.close() } }
        for _ in 0..<8 { lines += try await `Clients that stall`.open(at: server) }
        await SoakTime.pass(phase)
        return []
      }
    case .clockJumps:
      let jumps = (0..<4).map { _ in
        Int64.random(in: -Self.clockSecondsMax...Self.clockSecondsMax, using: &rounds.chance)
      }
      return {
        for jump in jumps {
          try machine.moveClock(to: jump)
          await SoakTime.pass(phase / jumps.count)
        }
        return []
      }
    case .fullDisk:
      let filler = Filler(connection: server.connect(as: "filler"))
      return { try await Self.fill(machine, for: phase, ledger, filler) }
    case .backup:
      let check = BackupCheck(
        binary: binary, data: data, folder: folder, environment: machine.environment,
        ledger: ledger)
      return { try await check.run() }
    }
  }

  private static func fill(
    _ machine: SoakMachine, for phase: Duration, _ ledger: Ledger, _ filler: Filler
  ) async throws -> [String] {
    await SoakTime.pass(phase / 4)
    try machine.fillDisk()
    let filled = try await filler.fill()
    await SoakTime.pass(phase / 2)
    try machine.emptyDisk()
    let count = ledger.acknowledgedCount
    let goesOn = await SoakTime.wait(atMost: .seconds(20)) { ledger.acknowledgedCount > count }
    try await filler.remove(filled ?? 0)
    var faults: [String] = []
    if filled == nil { faults.append("no write was refused on a full disk") }
    if !goesOn { faults.append("no write succeeded for 20 s after the disk had free space again") }
    return faults
  }

  /// Compares the server's records with the ledger.
  private mutating func compare(over connection: Connection, after event: String) async throws {
    do { try await rounds.compare(over: connection) } catch {
      faults.append("after \(event): the comparison failed: \(error)")
    }
    faults += (rounds.faults + rounds.ledger.faults).map { "after \(event): \($0)" }
  }
}
