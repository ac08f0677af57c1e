import CloudKit

/// A change in the folder that the server does not have.
struct NoteChange: Hashable, Sendable {
  let name: String
  /// The text of the note, or nil if the note was deleted.
  let text: String?
}

/// Sends changes from the folder to the server.
extension Backup {
  /// The number of consecutive requests with only conflicts after which the app waits before it
  /// sends again.
  private static let vainRoundsMax = 8

  /// Returns the differences between the folder and the known state of the server. Deletions come
  /// first, because they free storage.
  func unsent(_ contents: NoteFolder.Contents) -> [NoteChange] {
    let gone = state.notes.keys.filter {
      contents.notes[$0] == nil && !contents.misfits.contains($0)
    }
    let written = contents.notes.filter { name, text in
      state.notes[name]?.record == nil || state.notes[name]?.text != text
    }
    return gone.sorted().map { NoteChange(name: $0, text: nil) }
      + written.sorted { $0.key < $1.key }.map { NoteChange(name: $0.key, text: $0.value) }
  }

  func send() async throws {
    batchMax = settings.batchMax
    var vainRounds = 0
    while state.isOn, !state.isDeleting {
      try account.check()
      let changes = unsent(try folder.contents()).filter { refused[$0] == nil }
      if changes.isEmpty { return }
      let isProgress = try await send(batch(of: changes))
      vainRounds = isProgress ? 0 : vainRounds + 1
      if vainRounds == Self.vainRoundsMax { throw CKError(.zoneBusy) }
      show()
    }
  }

  /// Returns the first changes that fit into one request.
  private func batch(of changes: [NoteChange]) -> [NoteChange] {
    var bytes = 0
    return changes.prefix(batchMax).enumerated().prefix { index, change in
      bytes += change.text?.utf8.count ?? 0
      return index == 0 || bytes <= settings.batchBytesMax
    }.map(\.element)
  }

  /// Sends changes in one request.
  ///
  /// - Returns: whether fewer notes are left, or the next request is smaller.
  private func send(_ changes: [NoteChange]) async throws -> Bool {
    var records: [CKRecord] = []
    for change in changes {
      guard let text = change.text else { continue }
      let known = state.notes[change.name]
      records.append(BackupState.Known.record(of: known, named: change.name, text: text))
      state.notes[change.name, default: BackupState.Known()].sent = text
    }
    try folder.keep(state)
    let outcome: SendOutcome
    do {
      outcome = try await zone.modify(
        saving: records, deleting: changes.filter { $0.text == nil }.map(\.name))
    } catch let error as CKError {
      guard error.isTooMuch else { throw error }
      if let only = changes.first, changes.count == 1 { refuse(only, error) }
      batchMax = max(1, changes.count / 2)
      return true
    }
    for (name, record) in outcome.saved { state.notes[name] = BackupState.Known(record) }
    for name in outcome.deleted { state.notes[name] = nil }
    var trouble: CKError?
    for change in changes {
      guard let error = outcome.failures[change.name] else { continue }
      if try !settle(change, error) { trouble = trouble ?? error }
    }
    try folder.keep(state)
    if let trouble { throw trouble }
    return changes.contains {
      outcome.failures[$0.name] == nil || refused[$0] != nil
    }
  }

  /// Handles the error of one note.
  ///
  /// - Returns: whether the error is handled. If false, the caller must throw the error, because
  ///   the error may concern other notes as well.
  private func settle(_ change: NoteChange, _ error: CKError) throws -> Bool {
    switch error.answer.remedy {
    case .merge:
      guard let record = error.serverRecord else { return false }
      try take(record)
      return true
    case .sendAnew:
      if change.text == nil {
        state.notes[change.name] = nil
      } else {
        state.notes[change.name]?.record = nil
      }
      return true
    case .setAside, .sendLess:
      refuse(change, error)
      return true
    case .tryAgain, .waitForAccount, .waitForSomebody, .startOver, .lookForZone, .switchOff:
      return false
    }
  }

  private func refuse(_ change: NoteChange, _ error: CKError) {
    refused[change] = error.answer.words
  }
}

extension CKError {
  /// Whether a smaller request might succeed.
  fileprivate var isTooMuch: Bool {
    switch answer.remedy {
    case .sendLess, .setAside: true
    case .tryAgain, .waitForAccount, .waitForSomebody, .startOver, .merge, .sendAnew,
      .lookForZone, .switchOff:
      false
    }
  }
}
