import StratusTesting

/// The simulation that a seed describes.
struct Plan: Sendable {
  /// The number of devices with a sync engine.
  var engines: Int
  /// The number of devices that call the web service directly.
  var hands: Int
  /// The number of seconds in which mishaps happen.
  var seconds: Double
  /// The number of seconds in which users edit. In half of the seeds, mishaps continue after that,
  /// so that no edit can hide their effects.
  var editingSeconds: Double
  /// The number of possible `keep-…` records, and also the number of possible `leaf-…` records.
  var keptRecords: Int
  var rates: MishapRates

  /// Whether the server may lose writes that it has acknowledged. Devices then save their data
  /// again, which may undo deletions.
  var rewinds: Bool { rates.restore > 0 }

  /// Whether change tokens may expire. If the token of the database has also expired, a device
  /// without an engine does not notice that a zone was deleted and created again. Such a device
  /// therefore saves all its data at the end.
  var expires: Bool { rewinds || rates.expiry > 0 }

  init(drawnFrom chance: inout SeededChance, reducedBy reduction: Reduction) {
    // Most seeds describe a short run with few devices and many mishaps. A person can read the
    // trace of such a run, and a million such runs do not take too long.
    let isSmall = chance.percent(96)
    if isSmall {
      engines = chance.percent(65) ? 2 : 3
      hands = chance.percent(30) ? 1 : 0
      seconds = Double.random(in: 2...8, using: &chance)
    } else {
      engines = Int.random(in: 2...8, using: &chance)
      hands = Int.random(in: 0...2, using: &chance)
      seconds = Double.random(in: 5...40, using: &chance)
    }
    keptRecords = Int.random(in: 1...6, using: &chance)
    rates = MishapRates(drawnFrom: &chance)
    if isSmall { rates.hasten(by: 4) }
    for mishap in reduction.without { rates[keyPath: mishap.rate] = 0 }
    engines = min(engines, reduction.enginesMax ?? engines)
    hands = min(hands, reduction.handsMax ?? hands)
    seconds = min(seconds, reduction.secondsMax ?? seconds)
    let isQuietInTheEnd = chance.percent(50)
    let share = Double.random(in: 0.3...1, using: &chance)
    editingSeconds = isQuietInTheEnd ? seconds * share : seconds
  }
}

/// The parts of a seed's plan that are left out to see whether the seed still fails.
struct Reduction: Sendable {
  var without: [Mishap] = []
  var enginesMax: Int?
  var handsMax: Int?
  var secondsMax: Double?

  /// The command-line options that leave these parts out.
  var arguments: [String] {
    var words = without.flatMap { ["--without", $0.rawValue] }
    if let enginesMax { words += ["--engines", "\(enginesMax)"] }
    if let handsMax { words += ["--hands", "\(handsMax)"] }
    if let secondsMax { words += ["--until", "\(secondsMax)"] }
    return words
  }
}

/// A kind of mishap, with its name on the command line.
enum Mishap: String, CaseIterable, Sendable {
  case lostRequest = "lost-request"
  case lostAnswer = "lost-answer"
  case repeatedRequest = "repeated-request"
  case slowRequest = "slow-request"
  case repeatedBody = "repeated-body"
  case lostNotification = "lost-notification"
  case repeatedNotification = "repeated-notification"
  case slowNotification = "slow-notification"
  case lostSignal = "lost-nudge"
  case slowStore = "slow-store"
  case brokenAnswer = "broken-answer"
  case cancelledCall = "cancelled-call"
  case serverCrash = "server-crash"
  case deviceCrash = "device-crash"
  case restore
  case expiry
  case accountChange = "account-change"

  var rate: WritableKeyPath<MishapRates, Int> {
    switch self {
    case .lostRequest: \.lostRequest
    case .lostAnswer: \.lostAnswer
    case .repeatedRequest: \.repeatedRequest
    case .slowRequest: \.slowRequest
    case .repeatedBody: \.repeatedBody
    case .lostNotification: \.lostNotification
    case .repeatedNotification: \.repeatedNotification
    case .slowNotification: \.slowNotification
    case .lostSignal: \.lostSignal
    case .slowStore: \.slowStore
    case .brokenAnswer: \.brokenAnswer
    case .cancelledCall: \.cancelledCall
    case .serverCrash: \.serverCrash
    case .deviceCrash: \.deviceCrash
    case .restore: \.restore
    case .expiry: \.expiry
    case .accountChange: \.accountChange
    }
  }
}
