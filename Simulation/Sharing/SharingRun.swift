import StratusDomain
import StratusSQLite
import StratusTesting

/// Runs one simulation of an owner and guests from its seed.
///
/// At the end, every guest has exactly the records that the guest may see. At no time does a guest
/// receive the contents of a record that the guest may not see at that moment.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingRun: @unchecked Sendable {
  private let household: SharingHousehold
  private let owner: SharingOwner
  private var guests: [SharingGuest] = []
  private var collectors: [KeyCollector] = []
  private let rates: MishapRates
  private var isDone = false
  private var failure: String?

  private static let secondsToAgree = 180.0
  /// The number of successive checks in which the guests must agree with the server. Pauses
  /// separate the checks.
  private static let agreementsWanted = 2
  private static let stepsMax = 500_000

  private init(seed: UInt64, reduction: Reduction, isTraced: Bool) {
    var chance = SeededChance(seed: seed)
    var rates = MishapRates(drawnFrom: &chance)
    rates.hasten(by: 4)
    rates.accountChange = 0
    // After a restore, guests install their apps again, which hides some kinds of bugs. So half of
    // the seeds have no restores.
    if chance.percent(50) { (rates.restore, rates.backup, rates.expiry) = (0, 0, 0) }
    for mishap in reduction.without { rates[keyPath: mishap.rate] = 0 }
    self.rates = rates
    let seconds = Double.random(in: 2...6, using: &chance)
    let mishaps = Mishaps(rates: MishapRates(), chance: chance.split())
    let truth = SharingTruth()
    let household = SharingHousehold(
      cloud: Cloud(mishaps: mishaps, chance: chance.split(), truth: truth), truth: truth,
      mishaps: mishaps, ledger: Ledger(trace: Trace(isWanted: isTraced)),
      seconds: min(seconds, reduction.secondsMax ?? seconds), chance: chance.split())
    self.household = household
    // NB: after a restore, the server accepts values that are sealed with keys from before the
    // restore, which participants of that time may still have.
    if seed % 5 == 3, rates.restore == 0 {
      let seals = SharingSeals()
      household.seals = seals
      truth.seals = seals
      collectors = SharingTruth.guests.map {
        KeyCollector(user: $0, household: household, seals: seals)
      }
    }
    owner = SharingOwner(household: household)
    for (number, user) in SharingTruth.guests.enumerated() {
      guests.append(
        SharingGuest(user: user, name: "guest\(number + 1)", household: household))
    }
    // One guest has a second device.
    if let user = SharingTruth.guests.first, household.percent(40) {
      guests.append(SharingGuest(user: user, name: "guest3", household: household))
    }
  }

  /// Runs the simulation of a seed to its end.
  static func outcome(
    of seed: UInt64, reducedBy reduction: Reduction = Reduction(), isTraced: Bool = false
  ) -> Outcome {
    Loop.shared.begin(seed: seed)
    let run = SharingRun(seed: seed, reduction: reduction, isTraced: isTraced)
    Task { await run.scenario() }
    let stuck = Loop.shared.run(stepsMax: stepsMax) { run.isDone }
    let ledger = run.household.ledger
    let outcome = Outcome(
      failure: run.broken ?? run.failure ?? stuck, trace: ledger.trace.lines,
      steps: Loop.shared.steps, digest: Loop.shared.digest, seconds: Loop.shared.now,
      sightings: ledger.sightings)
    run.end()
    return outcome
  }

  /// The first violation of a rule, in words.
  private var broken: String? { household.truth.violation ?? household.ledger.violation }

  /// Whether the server may lose data in a restore, or tokens may expire.
  private var rewinds: Bool { rates.restore > 0 || rates.expiry > 0 }

  private func scenario() async {
    household.ledger.say("plan: \(rates), \(household.seconds) seconds")
    household.cloud.start()
    await owner.prepare()
    household.mishaps.start(rates)
    owner.start()
    for guest in guests { guest.start() }
    for collector in collectors { collector.start() }
    let begin = Loop.shared.now
    while Loop.shared.now < begin + household.seconds, broken == nil {
      try? await Loop.shared.sleep(1)
      await strike()
    }
    household.isOwnerAway = true
    try? await Loop.shared.sleep(household.pauseSeconds(0...1.5))
    household.ledger.say("all mishaps have ended")
    household.isEditing = false
    household.isCalm = true
    household.mishaps.stop()
    household.cloud.process?.life.awaitsLeft = nil
    await household.traffic.settle()
    for guest in guests { guest.calm(isNew: rewinds) }
    await agree()
    for collector in collectors where failure == nil { failure = await collector.violation() }
    isDone = true
  }

  private func strike() async {
    let mishaps = household.mishaps
    if mishaps.happens(\.serverCrash), let process = household.cloud.process {
      process.life.awaitsLeft = mishaps.awaitsBeforeCrash()
      household.ledger.saw("server crash")
    }
    if mishaps.happens(\.backup) { household.cloud.makeBackup() }
    if mishaps.happens(\.restore), household.cloud.restore() {
      household.ledger.saw("restore")
      household.ledger.say("the server is restored from the backup")
      if let visible = await read({ (store) throws(ServerError) in
        try SharingTruth.version(in: store)
      }) {
        household.truth.noteRestore(visible)
      }
    }
    if mishaps.happens(\.expiry) {
      household.cloud.expireTokens()
      household.ledger.saw("expiry")
    }
  }

  /// Reads the disk of the server.
  private func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async -> Value? {
    try? await household.cloud.disk.store(at: Cloud.address).read(body)
  }

  /// Waits until every guest has exactly the records that the guest may see, and checks that this
  /// state lasts.
  private func agree() async {
    let deadline = Loop.shared.now + Self.secondsToAgree
    var agreements = 0
    while broken == nil {
      try? await Loop.shared.sleep(1.5)
      let difference = await firstDifference()
      agreements = difference == nil ? agreements + 1 : 0
      if agreements == Self.agreementsWanted { break }
      if Loop.shared.now >= deadline {
        failure = difference ?? "the guests did not agree for long enough"
        break
      }
    }
    if let fault = household.cloud.fault { failure = "the server reported a fault: \(fault)" }
    if let failure { household.ledger.say("FAILED: \(failure)") }
  }

  private func firstDifference() async -> String? {
    for guest in guests {
      let user = guest.user
      let expected = await read { (store) throws(ServerError) in
        try SharingTruth.contents(of: user, in: store)
      }
      guard let expected else { return "the disk cannot be read" }
      if let pending = guest.unsettled { return "\(guest.name): \(pending)" }
      let found = guest.contents
      for name in Set(found.keys).union(expected.keys).sorted()
      where found[name] != expected[name] {
        return """
          \(guest.name): \(name) is \(found[name] ?? "not there") here, \
          \(expected[name] ?? "hidden or gone") at the server
          """
      }
    }
    return nil
  }

  private func end() {
    household.removeKeys()
    owner.stop()
    for guest in guests { guest.stop() }
    household.cloud.stop()
    _ = Loop.shared.run(stepsMax: .max) { false }
  }
}
