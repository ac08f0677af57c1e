import CloudKit

/// One complete sync, in several steps. If the app ends after a step, the next launch continues
/// from the stored state.
extension Backup {
  func backUp() async throws {
    try await recogniseUser()
    if state.isDeleting { return try await deleteAll() }
    if !state.isOn { return }
    try await findZone()
    try await subscribe()
    try await fetch()
    try await send()
  }

  /// Checks which user is signed in. Notes of another user are moved aside, and are never sent to
  /// this user's account.
  private func recogniseUser() async throws {
    if account.isKnown { return }
    // NB: the user is stored only after the user's own notes are in the folder.
    try await account.settle {
      let user = try await container.userRecordID().recordName
      if let last = state.user, last != user {
        try folder.putAside(state, of: last)
        state = BackupState()
      }
      if state.user != user || state.isAside, let returned = try folder.takeBack(of: user) {
        state = returned
      }
      state.user = user
      try folder.keep(state)
    }
  }

  func findZone() async throws {
    switch state.zone {
    case .made: return
    case .unmade:
      try account.check()
      try await zone.make()
      state.zone = .made
    case .doubted:
      try account.check()
      if try await zone.isThere() {
        state.zone = .made
      } else {
        return try loseBackup(CKError(.userDeletedZone).answer.words)
      }
    }
    try folder.keep(state)
  }

  /// Creates the subscription, once for all devices of the user. Without it, the app only checks at
  /// intervals.
  private func subscribe() async throws {
    guard settings.hearsPushes, state.isOn, !state.isSubscribed else { return }
    try account.check()
    do {
      try await zone.subscribe()
      state.isSubscribed = true
      try folder.keep(state)
    } catch is CKError {
      // If the error persists, the next request reports it. The overview shows that there are no
      // pushes.
      show()
    }
  }

  private func deleteAll() async throws {
    try account.check()
    try await zone.delete()
    // The user may have decided meanwhile to keep the backup.
    let stays = !state.isDeleting
    state.forgetServer()
    state.isDeleting = false
    state.isOn = stays
    if !stays { try folder.removeAll() }
    try folder.keep(state)
  }

  /// Handles a backup that was deleted by another device or by the user. The notes are kept, and
  /// the user decides whether to back them up again.
  func loseBackup(_ reason: String) throws {
    state.forgetServer()
    state.isOn = false
    state.reasonForOff = reason
    try folder.keep(state)
  }

  /// Handles an error that concerns a whole request.
  ///
  /// - Returns: the pause before the next sync.
  func answer(_ error: any Error) async -> Pause {
    if error is AccountWatch.MayHaveChanged { return .none }
    guard let error = error as? CKError else {
      troubles += 1
      note("The folder cannot be read or written: \(error.localizedDescription)")
      return pause
    }
    troubles += 1
    let (remedy, words) = error.answer
    note(words)
    do {
      switch remedy {
      case .tryAgain:
        if let seconds = error.retryAfterSeconds { return .asked(.seconds(seconds)) }
        return pause
      case .waitForAccount, .waitForSomebody, .setAside:
        return .until(settings.lookInterval)
      case .sendLess:
        batchMax = max(1, batchMax / 2)
      case .merge, .sendAnew:
        break  // The next fetch brings the server's state.
      case .startOver:
        state.startOver()
      case .lookForZone:
        if error.isReset {
          state.forgetServer()
        } else if state.zone == .made {
          state.zone = .doubted
        }
      case .switchOff:
        try loseBackup(words)
      }
      try folder.keep(state)
    } catch {
      note("The folder cannot be written: \(error.localizedDescription)")
      return pause
    }
    return troubles < Self.troublesMax ? .none : pause
  }

  /// The pause before a retry, which grows with the number of consecutive failures.
  private var pause: Pause {
    .until(Self.pauses[min(troubles, Self.pauses.count) - 1])
  }

  func note(_ words: String) {
    message = words
    show()
  }
}
