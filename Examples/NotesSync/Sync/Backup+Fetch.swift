import CloudKit

/// Fetches changes from the server into the folder.
extension Backup {
  /// Applies the changes since the stored tokens. The notes of a page are written before the page's
  /// token is stored, and the database's token is stored last. After an interruption, the next
  /// fetch therefore returns the same changes again.
  func fetch() async throws {
    guard state.isOn else { return }
    try account.check()
    let news = try await zone.databaseNews(since: .unarchived(state.databaseToken))
    switch news.fate {
    case .deleted: return try loseBackup(CKError(.userDeletedZone).answer.words)
    case .reset:
      // The notes in the folder are intact, and are sent into a new zone.
      state.forgetServer()
      try await findZone()
      try await fetchNotes()
    case .changed: try await fetchNotes()
    case nil:
      // There are no new changes. An interrupted fetch must still be continued.
      if state.zoneToken == nil || state.unconfirmed != nil { try await fetchNotes() }
    }
    state.databaseToken = try news.token?.archived()
    try folder.keep(state)
  }

  private func fetchNotes() async throws {
    var moreComing = true
    while moreComing {
      try account.check()
      let page = try await zone.page(since: .unarchived(state.zoneToken))
      for record in page.records { try take(record) }
      for name in page.deleted { try lose(name) }
      state.zoneToken = try page.token?.archived()
      moreComing = page.moreComing
      if !moreComing {
        for name in state.unconfirmed ?? [] { try lose(name) }
        state.unconfirmed = nil
      }
      try folder.keep(state)
      show()
    }
  }

  /// Merges a note from the server with the note in the folder.
  func take(_ record: CKRecord) throws {
    guard let name = Note.name(of: record) else { return }
    let known = state.notes[name]
    // A file that is not text is renamed and kept.
    let mine = try folder.textOrSetAside(name)
    let text = MergeRule.merge(mine: mine, theirs: Note.text(of: record), known: known)
    if let text, text != mine { try folder.write(text, as: name) }
    if let mine, let text, text != mine, text != Note.text(of: record) {
      notice = "Two devices changed '\(name)'. Both texts are kept, one under the other."
    }
    state.notes[name] = BackupState.Known(record, sent: known?.sent)
    state.unconfirmed?.remove(name)
  }

  /// Handles a note that was deleted on the server. The note in the folder is kept if it has
  /// changed.
  private func lose(_ name: String) throws {
    guard let known = state.notes.removeValue(forKey: name) else { return }
    // A file that is not text is kept.
    let mine = try? folder.text(of: name)
    if mine != nil, MergeRule.merge(mine: mine, theirs: nil, known: known) == nil {
      try folder.throwAway(name)
    }
  }
}
