import StratusTesting

/// The probability of each simulated failure, in percent.
struct MishapRates: Sendable {
  var lostRequest = 0
  var lostAnswer = 0
  var repeatedRequest = 0
  var slowRequest = 0
  var repeatedBody = 0
  var lostNotification = 0
  var repeatedNotification = 0
  var slowNotification = 0
  var lostSignal = 0
  var slowStore = 0
  /// The probability, for each request that the server has carried out, that a proxy answers with
  /// HTTP status 500.
  var brokenAnswer = 0
  /// The probability, for each use of an app, that the user starts a sync and does not wait for its
  /// end.
  var cancelledCall = 0
  /// The probability per second.
  var serverCrash = 0
  /// The probability per second and device.
  var deviceCrash = 0
  /// The probability per second.
  var restore = 0
  /// The probability per second.
  var backup = 0
  /// The probability per second.
  var expiry = 0
  /// The probability per second and device.
  var accountChange = 0

  /// Lets the seed choose some kinds of mishaps. Each chosen kind gets a random probability, and
  /// the other kinds never happen.
  init(drawnFrom chance: inout SeededChance) {
    func rate(_ most: Int, _ likelihood: Int, _ chance: inout SeededChance) -> Int {
      chance.percent(likelihood) ? Int.random(in: 1...most, using: &chance) : 0
    }
    lostRequest = rate(20, 50, &chance)
    lostAnswer = rate(20, 60, &chance)
    repeatedRequest = rate(20, 50, &chance)
    slowRequest = rate(30, 50, &chance)
    repeatedBody = rate(30, 30, &chance)
    lostNotification = rate(40, 50, &chance)
    repeatedNotification = rate(30, 50, &chance)
    slowNotification = rate(40, 50, &chance)
    lostSignal = rate(60, 30, &chance)
    slowStore = rate(50, 40, &chance)
    serverCrash = rate(15, 40, &chance)
    deviceCrash = rate(10, 50, &chance)
    if chance.percent(20) {
      restore = rate(8, 100, &chance)
      backup = rate(30, 100, &chance)
    }
    expiry = rate(8, 20, &chance)
    // NB: an app drops its data when the account changes. After a restore, the app therefore could
    // not send the lost changes of the earlier account again.
    if restore == 0, expiry == 0 { accountChange = rate(10, 30, &chance) }
    brokenAnswer = rate(20, 40, &chance)
    cancelledCall = rate(40, 40, &chance)
  }

  init() {}

  /// Increases all probabilities that are per second.
  mutating func hasten(by factor: Int) {
    for rate in [\Self.serverCrash, \.deviceCrash, \.restore, \.backup, \.expiry, \.accountChange] {
      self[keyPath: rate] = min(self[keyPath: rate] * factor, 50)
    }
  }
}

/// Decides at random which mishaps happen, until all mishaps are switched off.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class Mishaps: @unchecked Sendable {
  private(set) var rates: MishapRates
  private var chance: SeededChance

  init(rates: MishapRates, chance: SeededChance) {
    self.rates = rates
    self.chance = chance
  }

  /// Switches mishaps on.
  func start(_ rates: MishapRates) { self.rates = rates }

  /// Switches all mishaps off.
  func stop() { rates = MishapRates() }

  func happens(_ kind: KeyPath<MishapRates, Int>) -> Bool {
    let rate = rates[keyPath: kind]
    return rate > 0 && chance.percent(rate)
  }

  /// Returns the number of seconds for which a message is in transit.
  func travelSeconds(slow kind: KeyPath<MishapRates, Int>) -> Double {
    let usual = Double.random(in: 0.001...0.05, using: &chance)
    return happens(kind) ? usual + Double.random(in: 0...8, using: &chance) : usual
  }

  /// Returns the number of seconds that a call of a slow store takes.
  func storeSeconds() -> Double { Double.random(in: 0...0.1, using: &chance) }

  /// Whether a device notices only after a long silence that a connection is broken.
  func isUnnoticed() -> Bool { chance.percent(20) }

  /// Returns the number of changes in one page.
  func pageSize() -> Int { Int.random(in: 1...5, using: &chance) }

  /// Returns the number of `await` calls until a crash.
  func awaitsBeforeCrash() -> Int { Int.random(in: 0...30, using: &chance) }
}
