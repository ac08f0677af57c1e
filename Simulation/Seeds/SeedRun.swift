import StratusTesting

/// The result of the simulation of one seed.
struct Outcome: Sendable {
  var failure: String?
  var trace: [String] = []
  var steps = 0
  var digest: UInt64 = 0
  var seconds = 0.0
  var sightings: [String: Int] = [:]
}

/// Runs one simulation from its seed.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SeedRun: @unchecked Sendable {
  private let household: Household
  private var devices: [any Device] = []
  private var isDone = false
  private var failure: String?

  /// The number of virtual seconds after the end of all mishaps within which all devices must agree
  /// with the server.
  private static let secondsToAgree = 180.0
  /// The number of steps (jobs, actions and timers) after which a simulation counts as endless.
  /// Most seeds need a few thousand steps, and the longest need about ten thousand.
  private static let stepsMax = 500_000

  private init(seed: UInt64, reduction: Reduction, isTraced: Bool) {
    var chance = SeededChance(seed: seed)
    let plan = Plan(drawnFrom: &chance, reducedBy: reduction)
    let mishaps = Mishaps(rates: plan.rates, chance: chance.split())
    let ledger = Ledger(trace: Trace(isWanted: isTraced))
    household = Household(
      cloud: Cloud(mishaps: mishaps, chance: chance.split()), mishaps: mishaps, ledger: ledger,
      plan: plan, chance: chance.split())
    for number in 1..<plan.hands + 1 {
      devices.append(HandDevice(name: "hand-\(number)", household: household))
    }
    for number in 1..<plan.engines + 1 {
      devices.append(AppDevice(name: "app-\(number)", household: household))
    }
  }

  /// Runs the simulation of a seed to its end.
  static func outcome(
    of seed: UInt64, reducedBy reduction: Reduction = Reduction(), isTraced: Bool = false
  ) -> Outcome {
    Loop.shared.begin(seed: seed)
    let run = SeedRun(seed: seed, reduction: reduction, isTraced: isTraced)
    Task { await run.scenario() }
    let stuck = Loop.shared.run(stepsMax: stepsMax) { run.isDone }
    let ledger = run.household.ledger
    let outcome = Outcome(
      failure: ledger.violation ?? run.failure ?? stuck, trace: ledger.trace.lines,
      steps: Loop.shared.steps, digest: Loop.shared.digest, seconds: Loop.shared.now,
      sightings: ledger.sightings)
    run.end()
    return outcome
  }

  private func scenario() async {
    household.ledger.say("plan: \(household.plan)")
    household.cloud.start()
    for device in devices { start(device) }
    while Loop.shared.now < household.plan.seconds, household.ledger.violation == nil {
      try? await Loop.shared.sleep(1)
      await strike()
      if household.isEditing, Loop.shared.now >= household.plan.editingSeconds {
        household.ledger.say("the users have stopped editing")
        household.isEditing = false
      }
    }
    household.ledger.say("all mishaps have ended")
    household.isEditing = false
    household.isCalm = true
    household.mishaps.stop()
    household.cloud.process?.life.awaitsLeft = nil
    // NB: an app that crashed earlier may still have requests in transit. The next run of the app
    // does not expect their effects.
    await household.traffic.settle()
    for device in devices { device.calm() }
    await agree()
    isDone = true
  }

  /// Starts a device, immediately or at a random later time.
  private func start(_ device: any Device) {
    guard device !== devices.last, household.percent(25) else { return device.start() }
    Loop.shared.after(household.seconds(0...household.plan.seconds)) { device.start() }
  }

  /// Causes the mishaps of the server: crashes, restores, backups and expired change tokens.
  private func strike() async {
    let mishaps = household.mishaps
    if mishaps.happens(\.serverCrash), let process = household.cloud.process {
      process.life.awaitsLeft = mishaps.awaitsBeforeCrash()
      household.ledger.saw("server crash")
      household.ledger.say("the server will crash")
    }
    if mishaps.happens(\.backup) {
      household.cloud.makeBackup()
      household.ledger.say("a backup is made")
    }
    if mishaps.happens(\.restore), household.cloud.restore() {
      household.ledger.say("the server is restored from the backup")
      household.ledger.noteRestore(of: await serverContents())
    }
    if mishaps.happens(\.expiry) {
      household.cloud.expireTokens()
      household.ledger.saw("expiry")
      household.ledger.say("all change tokens expire")
    }
  }

  /// Waits until every device has the same contents as the server, and checks that this state
  /// lasts.
  private func agree() async {
    let deadline = Loop.shared.now + Self.secondsToAgree
    var agreements = 0
    while household.ledger.violation == nil {
      try? await Loop.shared.sleep(2)
      let server = await serverContents()
      let difference = firstDifference(to: server)
      agreements = difference == nil ? agreements + 1 : 0
      if agreements == 3 {
        for (account, contents) in server.sorted(by: { $0.key < $1.key }) {
          failure = failure ?? household.ledger.fault(in: contents, of: account)
        }
        break
      }
      if Loop.shared.now >= deadline {
        failure = difference ?? "the devices did not agree for long enough"
        break
      }
    }
    if let fault = household.cloud.fault { failure = "the server reported a fault: \(fault)" }
    if let failure { household.ledger.say("FAILED: \(failure)") }
  }

  /// Returns the server's contents, by account.
  private func serverContents() async -> [String: Contents] {
    var contents: [String: Contents] = [:]
    for account in [Cloud.user, Cloud.otherUser] {
      contents[account] = await household.cloud.contents(of: account)
    }
    return contents
  }

  private func firstDifference(to server: [String: Contents]) -> String? {
    for device in devices {
      guard let account = device.account, let server = server[account] else {
        return "\(device.name) is not signed in"
      }
      if let pending = device.unsettled { return "\(device.name): \(pending)" }
      if let difference = device.contents.difference(to: server, called: "the server") {
        return "\(device.name): \(difference)"
      }
    }
    return nil
  }

  /// Ends all running tasks, so that they do not affect the next simulation.
  private func end() {
    for device in devices { device.stop() }
    household.cloud.stop()
    _ = Loop.shared.run(stepsMax: .max) { false }
  }
}
