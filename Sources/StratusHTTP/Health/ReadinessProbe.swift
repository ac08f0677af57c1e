import StratusDomain
import StratusWire

/// Asks the checks whether the server can do its work.
///
/// Anybody may ask, so the checks run at most once a second and never twice at once, and an answer
/// never waits long for one that hangs.
actor ReadinessProbe {
  private static let millisecondsPerCheck: Int64 = 1_000
  /// Choice: whoever asks hears of a fault within four seconds.
  private static let patience = Duration.seconds(3)

  private let checks: [any ReadinessCheck]
  private let ambient: Ambient
  private var last: (time: Int64, faults: [ReadinessFault])?
  /// The checks that have not answered in this round.
  private var unanswered: Set<Int> = []
  private var found: [ReadinessFault] = []
  private var round = 0
  private var waiters: [CheckedContinuation<[ReadinessFault], Never>] = []

  init(_ checks: [any ReadinessCheck], ambient: Ambient) {
    self.checks = checks
    self.ambient = ambient
  }

  /// The faults there are, at most a second ago.
  func faults() async -> [ReadinessFault] {
    if checks.isEmpty { return [] }
    if waiters.isEmpty {
      if let last, (0..<Self.millisecondsPerCheck).contains(ambient.now() - last.time) {
        return last.faults
      }
      if !unanswered.isEmpty { return found + late() }
      begin()
    }
    return await withCheckedContinuation { waiters.append($0) }
  }

  private func begin() {
    round += 1
    found = []
    unanswered = Set(checks.indices)
    for (index, check) in checks.enumerated() {
      Task { self.answered(index, await check.faults()) }
    }
    Task { [round] in
      try? await Task.sleep(for: Self.patience)
      self.timeIsUp(in: round)
    }
  }

  private func answered(_ index: Int, _ faults: [ReadinessFault]) {
    found += faults
    unanswered.remove(index)
    if unanswered.isEmpty { finish(found) }
  }

  private func timeIsUp(in round: Int) {
    if round == self.round, !unanswered.isEmpty { finish(found + late()) }
  }

  private func late() -> [ReadinessFault] {
    unanswered.sorted().map { index in
      let name = checks[index].name
      return ReadinessFault(name: "\(name)-unknown", reason: "the check of the \(name) hangs")
    }
  }

  private func finish(_ faults: [ReadinessFault]) {
    last = (ambient.now(), faults)
    for waiter in waiters { waiter.resume(returning: faults) }
    waiters = []
  }
}
