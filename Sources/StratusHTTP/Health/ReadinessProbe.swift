import StratusDomain
import StratusWire

/// Runs the checks that show whether the server can do its work.
///
/// Any client may request the result. The checks therefore run at most once a second and never
/// twice at the same time. An answer does not wait long for a check that hangs. While only checks
/// of files hang, the other checks run as usual.
actor ReadinessProbe {
  private let patience: Duration
  private let patienceForFiles: Duration

  private let checks: [any ReadinessCheck]
  private let ambient: Ambient
  private var last: (time: Int64, faults: [ReadinessFault])?
  /// The checks of the current round that have not finished.
  private var unanswered: Set<Int> = []
  /// The checks in ``unanswered`` that an earlier round began. All of them concern only files.
  private var hanging: Set<Int> = []
  private var found: [ReadinessFault] = []
  private var round = 0
  /// Whether the current round waits no longer for the checks that concern only files.
  private var isFilesTimeUp = false
  private var waiters: [CheckedContinuation<[ReadinessFault], Never>] = []

  /// - Parameters:
  ///   - patience: the maximum time of a check. Choice: a fault is reported within four seconds.
  ///   - patienceForFiles: the maximum time of a check that concerns only files. Choice: load
  ///     balancers often wait a second for an answer, and storage that hangs must not make them
  ///     believe that the server is down.
  init(
    _ checks: [any ReadinessCheck], ambient: Ambient, patience: Duration = .seconds(3),
    patienceForFiles: Duration = .milliseconds(500)
  ) {
    self.patience = patience
    self.patienceForFiles = patienceForFiles
    self.checks = checks
    self.ambient = ambient
  }

  /// Returns the current faults.
  ///
  /// - Parameter ageMaxMilliseconds: the time for which the result of a finished round of checks is
  ///   used.
  func faults(ageMaxMilliseconds: Int64 = 1_000) async -> [ReadinessFault] {
    if checks.isEmpty { return [] }
    if waiters.isEmpty {
      if let last, (0..<ageMaxMilliseconds).contains(ambient.now() - last.time) {
        return last.faults
      }
      if !canBegin { return found + late() }
      begin()
    }
    return await withCheckedContinuation { waiters.append($0) }
  }

  /// Whether a check can begin, and all checks that still run concern only files.
  private var canBegin: Bool {
    unanswered.count < checks.count && unanswered.allSatisfy { checks[$0].extent == .files }
  }

  private func begin() {
    round += 1
    found = []
    hanging = unanswered
    unanswered = Set(checks.indices)
    isFilesTimeUp = false
    for (index, check) in checks.enumerated() where !hanging.contains(index) {
      Task { self.answered(index, await check.faults()) }
    }
    Task { [round, patience] in
      try? await Task.sleep(for: patience)
      self.timeIsUp(in: round)
    }
    if checks.contains(where: { $0.extent == .files }) {
      Task { [round, patienceForFiles] in
        try? await Task.sleep(for: patienceForFiles)
        self.filesTimeIsUp(in: round)
      }
    }
  }

  private func answered(_ index: Int, _ faults: [ReadinessFault]) {
    found += faults
    unanswered.remove(index)
    hanging.remove(index)
    finishIfComplete()
  }

  private func filesTimeIsUp(in round: Int) {
    guard round == self.round else { return }
    isFilesTimeUp = true
    finishIfComplete()
  }

  /// Ends the round if it needs no further answer.
  private func finishIfComplete() {
    // NB: a check may answer after its round has ended. The other results are old by then.
    if waiters.isEmpty { return }
    let isComplete = unanswered.allSatisfy { index in
      hanging.contains(index) || isFilesTimeUp && checks[index].extent == .files
    }
    if isComplete { finish(found + late()) }
  }

  private func timeIsUp(in round: Int) {
    if round == self.round, !waiters.isEmpty { finish(found + late()) }
  }

  private func late() -> [ReadinessFault] {
    unanswered.sorted().map { index in
      let check = checks[index]
      return ReadinessFault(
        name: "\(check.name)-unknown", reason: "the check of the \(check.name) hangs",
        extent: check.extent)
    }
  }

  private func finish(_ faults: [ReadinessFault]) {
    last = (ambient.now(), faults)
    for waiter in waiters { waiter.resume(returning: faults) }
    waiters = []
  }
}
