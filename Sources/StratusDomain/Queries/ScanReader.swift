import StratusWire

/// Reads a page by reading the index in the requested order.
struct ScanReader {
  private let scope: PageScope
  private var builder: PageBuilder
  private var cursor: EntryCursor
  /// Whether the records must be read, because the entries alone do not show which records match.
  private let needsRecords: Bool
  /// The position of the last match in the page, or of a later entry that does not match.
  private var passed: EntryPosition?

  private static let batchMax = 200

  init(_ scope: PageScope) {
    self.scope = scope
    builder = PageBuilder(scope)
    let candidate = scope.plan.candidate
    needsRecords =
      !candidate.remaining.isEmpty || candidate.distinguishing != nil || scope.hierarchies != nil
    passed = scope.after
    cursor = EntryCursor(
      scope.plan.stretches, of: scope.plan.index.id, in: scope.database, zone: scope.zone?.id,
      isReversed: scope.plan.isReversed, after: scope.after,
      expected: scope.countsOnly ? 1_000 : scope.limit + 1)
  }

  mutating func read() throws(ServerError) -> QueryPage {
    while true {
      var batch: [(entry: FoundEntry, prefixCount: Int)] = []
      let wanted = scope.countsOnly ? Self.batchMax : min(builder.budget + 1, Self.batchMax)
      var ending: EntryCursor.Step?
      while batch.count < wanted, ending == nil {
        switch try cursor.next(scope.store) {
        case .entry(let entry, let prefixCount):
          if try builder.zone(entry.zone) != nil { batch.append((entry, prefixCount)) }
        case .end: ending = .end
        case .exhausted: ending = .exhausted
        }
      }
      if try take(batch) { return end(at: passed) }
      switch ending {
      case .end: return end(at: nil)
      case .exhausted: return end(at: cursor.position ?? passed)
      case .entry, nil: if builder.hasReadEnough { return end(at: passed) }
      }
    }
  }

  private mutating func end(at position: EntryPosition?) -> QueryPage {
    builder.noteRead(entries: cursor.entriesRead)
    builder.end(at: position)
    return builder.page
  }

  /// - Returns: whether the page ends here, because a match did not fit, or because enough was read
  ///   or done.
  private mutating func take(
    _ batch: [(entry: FoundEntry, prefixCount: Int)]
  ) throws(ServerError) -> Bool {
    if !needsRecords, scope.countsOnly {
      for _ in batch { builder.addUnseen() }
      return false
    }
    // If the entries alone prove the matches, only the records that the page has capacity for are
    // read.
    let read = needsRecords ? batch[...] : batch.prefix(builder.budget)
    let records = try builder.records(of: read.map(\.entry))
    for (index, (entry, prefixCount)) in batch.enumerated() {
      if index < records.count {
        if let item = records[index], try matches(item.record, entry, prefixCount) {
          if !builder.add(item.record, in: item.zone) { return true }
        }
      } else {
        return true
      }
      passed = entry
      passed?.value.removeFirst(prefixCount)
      // NB: a batch of large records can cause much work.
      if needsRecords, builder.hasWorkedEnough { return true }
    }
    return false
  }

  private mutating func matches(
    _ record: StoredRecord, _ entry: FoundEntry, _ prefixCount: Int
  ) throws(ServerError) -> Bool {
    if !needsRecords { return true }
    let values = try builder.values(of: record)
    guard builder.matches(values) else { return false }
    guard let condition = scope.plan.candidate.distinguishing else { return true }
    guard let first = condition.firstPart(of: values) else { return false }
    return entry.value.dropFirst(prefixCount).starts(with: first)
  }
}
