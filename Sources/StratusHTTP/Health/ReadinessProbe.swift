import StratusDomain
import StratusWire

/// Runs the checks that show whether the server can do its work.
///
/// Any client may request the result. The checks therefore run at most once a second and never
/// twice at the same time. An answer does not wait long for a check that hangs.
actor ReadinessProbe {
  private static let millisecondsPerCheck: Int64 = 1_000
  private let patience: Duration

  private let checks: [any ReadinessCheck]
  private let ambient: Ambient
  private var last: (time: Int64, faults: [ReadinessFault])?
  /// The checks of the current round that have not finished.
  private var unanswered: Set<Int> = []
  private var found: [ReadinessFault] = []
  private var round = 0
  private var waiters: [CheckedContinuation<[ReadinessFault], Never>] = []

  /// - Parameter patience: the maximum time of a check. Choice: a fault is reported within four
  ///   seconds.
  init(
    _ checks: [any ReadinessCheck], ambient: Ambient, patience: Duration = .seconds(3)
  ) {
    self.patience = patience
    self.checks = checks
    self.ambient = ambient
  }

  /// Returns the current faults. The result of a finished round of checks is used for one second.
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
    Task { [round, patience] in
      try? await Task.sleep(for: patience)
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
