import StratusWire

/// Drops indexes that no query has read for a long time, and indexes of the outdated form
/// ``IndexColumn/Form/earlierToken``, one step at a time.
///
/// A later query that needs the index creates it again. Continuation markers of the old index
/// become invalid.
public struct DropUnusedIndexes: Sendable {
  private let store: any Store
  private let address: StoreAddress
  private let uses: IndexUses
  private let ambient: Ambient

  public init(store: any Store, at address: StoreAddress, uses: IndexUses, ambient: Ambient) {
    self.store = store
    self.address = address
    self.uses = uses
    self.ambient = ambient
  }

  private struct Findings {
    var unused: [Int64] = []
    /// Indexes whose use must be stored today: those read since the last step, and those whose use
    /// was never stored, so that their unused days count from today.
    var noted: [Int64] = []
    var hasDropped = false

    var isEmpty: Bool { unused.isEmpty && noted.isEmpty && !hasDropped }
  }

  /// Stores which indexes the queries of this process have read since the last call.
  ///
  /// Every process must call this method regularly, even while another process drops the unused
  /// indexes.
  public func noteUses() async throws(ServerError) {
    let day = ambient.now() / Self.dayMilliseconds
    let used = uses.take(at: address)
    if used.isEmpty { return }
    let outdated = try await store.read { (store) throws(ServerError) in
      let known = try store.indexUses()
      let ready = try store.schema().indexes.values.joined().filter(\.isReady).map(\.id)
      return ready.filter { used.contains($0) && known[$0] != day }
    }
    if outdated.isEmpty { return }
    try await store.write { (store) throws(ServerError) in
      for index in outdated { try store.noteUse(of: index, day: day) }
    }
  }

  /// Stores which indexes were used, drops the unused ones, and removes some entries of dropped
  /// indexes.
  ///
  /// - Returns: whether more entries remain to be removed.
  public func step() async throws(ServerError) -> Bool {
    let day = ambient.now() / Self.dayMilliseconds
    let used = uses.take(at: address)
    let findings = try await store.read { (store) throws(ServerError) in
      try Self.look(in: store, used: used, day: day)
    }
    if findings.isEmpty { return false }
    return try await store.write { (store) throws(ServerError) in
      for index in findings.noted { try store.noteUse(of: index, day: day) }
      for index in findings.unused { try store.dropIndex(index) }
      try store.removeDroppedEntries(limit: Limits.indexBuildStepEntries)
      return try store.hasDroppedIndexes()
    }
  }

  private static func look(
    in store: any StoreReading, used: Set<Int64>, day: Int64
  ) throws(ServerError) -> Findings {
    var findings = Findings(hasDropped: try store.hasDroppedIndexes())
    let uses = try store.indexUses()
    for index in try store.schema().indexes.values.joined() where index.isReady {
      let last = uses[index.id]
      if index.columns.contains(where: { $0.form == .earlierToken }) {
        findings.unused.append(index.id)
      } else if last == nil || (used.contains(index.id) && last != day) {
        findings.noted.append(index.id)
      } else if let last, day - last > Limits.indexUnusedDaysMax {
        findings.unused.append(index.id)
      }
    }
    return findings
  }

  static let dayMilliseconds: Int64 = 86_400_000
}
