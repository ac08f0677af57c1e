import StratusTransport
import Synchronization

/// Whose data it is.
extension SyncDriver {
  /// Finds out who is signed in, and begins anew if it is another user.
  func checkAccount() async {
    core.withLock { core in
      core.isAccountDoubtful = false
      core.isCalledOff = false
    }
    let accounts = surroundings.accounts
    let answer = request { () async throws(CKError) in
      try await accounts.currentUserRecordName()
    }
    let refused: [Waiter]
    var failure = CKError.notSignedIn
    switch await answer.result {
    case .success(let user):
      await adopt(user)
      let (now, hasPendingChanges) = (now, state.with { $0.hasPendingChanges })
      refused = core.withLock { core in
        core.takeWaiters(
          for: core.schedule.accountIsKnown(
            isSomeone: user != nil, hasPendingChanges: hasPendingChanges, now: now))
      }
    case .failure(let error):
      failure = error
      let (now, chance) = (now, surroundings.timing.chance())
      refused = core.withLock { core in
        core.takeWaiters(for: core.schedule.accountIsUnknown(error, now: now, chance: chance))
      }
    }
    for waiter in refused { waiter.resume(failure) }
  }

  private func adopt(_ user: String?) async {
    let change = state.with { $0.accountChange(to: user) }
    guard let change else {
      state.with { $0.adopt(user) }
      return
    }
    core.withLock { core in
      core.schedule.accountHasChanged()
      core.isSubscriptionHopeless = false
    }
    await deliver(.accountChange(.init(changeType: change))) { $0.adopt(user) }
    await reportState()
  }

  /// Whether the job under way may ask the server for more.
  ///
  /// - Returns: why not.
  func reasonToStop() async -> CKError? {
    let isDoubtful = core.withLock { core in
      if core.isStopped || core.isCalledOff { return Bool?.none }
      defer { core.isAccountDoubtful = false }
      return core.isAccountDoubtful
    }
    guard let isDoubtful else { return CKError(.operationCancelled) }
    if !isDoubtful { return nil }
    let accounts = surroundings.accounts
    let answer = request { () async throws(CKError) in
      try await accounts.currentUserRecordName()
    }
    switch await answer.result {
    case .failure(let error): return error
    case .success(let user):
      let isSame = state.with { $0.accountChange(to: user) } == nil
      return isSame ? nil : CKError(.operationCancelled)
    }
  }
}
