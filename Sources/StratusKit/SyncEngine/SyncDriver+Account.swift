import StratusTransport
import Synchronization

/// Checks of the account to which the engine's data belongs.
extension SyncDriver {
  /// Finds out which account is signed in, and resets the state if the account has changed.
  func checkAccount() async {
    core.withLock { core in
      core.isAccountDoubtful = false
      core.isCancelled = false
    }
    let accounts = surroundings.accounts
    let answer = request { () async throws(CKError) in
      try await accounts.currentUserRecordName()
    }
    let failed: [Waiter]
    var failure = CKError.notSignedIn
    switch await answer.result {
    case .success(let user):
      await adopt(user)
      let (now, hasPendingChanges) = (now, state.with { $0.hasPendingChanges })
      failed = core.withLock { core in
        core.takeWaiters(
          for: core.schedule.accountIsKnown(
            isSignedIn: user != nil, hasPendingChanges: hasPendingChanges, now: now))
      }
    case .failure(let error):
      failure = error
      let (now, chance) = (now, surroundings.timing.chance())
      failed = core.withLock { core in
        core.record.note(error, at: now)
        return core.takeWaiters(
          for: core.schedule.accountIsUnknown(error, now: now, chance: chance))
      }
    }
    for waiter in failed { waiter.resume(failure) }
  }

  private func adopt(_ user: String?) async {
    let change = state.with { $0.accountChange(to: user) }
    guard let change else {
      state.with { $0.adopt(user) }
      return
    }
    core.withLock { core in
      core.schedule.accountHasChanged()
      core.isSubscriptionRefused = false
    }
    await deliver(.accountChange(.init(changeType: change))) { $0.adopt(user) }
    await reportState()
  }

  /// Checks whether the running job may send another request.
  ///
  /// - Returns: the reason why the job must not send a request; nil if it may send one.
  func reasonToStop() async -> CKError? {
    let isDoubtful = core.withLock { core in
      if core.isStopped || core.isCancelled { return Bool?.none }
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
