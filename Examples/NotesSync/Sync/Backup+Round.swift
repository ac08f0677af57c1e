import CloudKit

/// One time through everything, step by step. Each step leaves the state such that the next launch
/// may go on from there.
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

  /// Whose notes these are. Another user's never go to this one's account: they are put aside.
  private func recogniseUser() async throws {
    if account.isKnown { return }
    // NB: known only once the right notes are here.
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

  /// Once for all of the user's devices. Without it the app looks now and then, no more.
  private func subscribe() async throws {
    guard settings.hearsPushes, state.isOn, !state.isSubscribed else { return }
    try account.check()
    do {
      try await zone.subscribe()
      state.isSubscribed = true
      try folder.keep(state)
    } catch is CKError {
      // What else it means, the next request tells; the overview says that pushes are off.
      show()
    }
  }

  private func deleteAll() async throws {
    try account.check()
    try await zone.delete()
    // Somebody may have taken the wish back meanwhile.
    let stays = !state.isDeleting
    state.forgetServer()
    state.isDeleting = false
    state.isOn = stays
    if !stays { try folder.removeAll() }
    try folder.keep(state)
  }

  /// The backup is gone, and not by this device's doing. The notes stay; whether they are backed up
  /// again is the user's choice.
  func loseBackup(_ reason: String) throws {
    state.forgetServer()
    state.isOn = false
    state.reasonForOff = reason
    try folder.keep(state)
  }

  /// Does what is to be done about an error of a whole request.
  ///
  /// - Returns: how long to wait for the next round.
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
        break  // The next fetch brings what the server has.
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

  /// The longer the trouble lasts, the longer.
  private var pause: Pause {
    .until(Self.pauses[min(troubles, Self.pauses.count) - 1])
  }

  func note(_ words: String) {
    message = words
    show()
  }
}
