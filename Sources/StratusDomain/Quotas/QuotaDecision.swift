import StratusWire

/// Refuses the operations that need more bytes than a database has left.
///
/// The public database has a quota of its own. The records of a private database count for its
/// owner, including the records that participants of a share write.
struct QuotaDecision {
  typealias Refusal = RecordDecision.Refusal

  let settings: ContainerSettings
  let database: DatabaseKey
  /// Whether the caller may learn how many bytes are left. Participants of a share may not, because
  /// the number would tell them about other data of the owner.
  let showsBytes: Bool

  /// Returns the refusals, by the positions of the operations. Deletions, and saves that do not
  /// make their record larger, are never refused.
  ///
  /// - Parameter stored: returns the state of a record before the save.
  func refusals(
    for decision: RecordDecision, replacing stored: (String) -> StoredRecord?,
    in store: any StoreReading
  ) throws(ServerError) -> [Int: Refusal] {
    guard let quota = try quota(in: store) else { return [:] }
    var growths: [(index: Int, bytes: Int64)] = []
    var freed: Int64 = 0
    for (index, outcome) in decision.outcomes.enumerated() {
      let growth: Int64
      switch outcome {
      case .saved(let record):
        growth = try Usage(of: record).bytes - bytes(of: stored(record.name))
      case .deleted(let name): growth = try -bytes(of: stored(name))
      case .refused: continue
      }
      if growth > 0 { growths.append((index, growth)) } else { freed -= growth }
    }
    if growths.isEmpty { return [:] }
    var left = quota - (try store.usedBytes(of: database)) + freed
    var refusals: [Int: Refusal] = [:]
    for (index, bytes) in growths {
      if bytes <= left {
        left -= bytes
      } else {
        refusals[index] = Refusal(error(left: left, needed: bytes))
      }
    }
    return refusals
  }

  private func bytes(of record: StoredRecord?) throws(ServerError) -> Int64 {
    guard let record else { return 0 }
    return try Usage(of: record).bytes
  }

  /// Returns the quota of the database in bytes, or nil if the database has no limit.
  private func quota(in store: any StoreReading) throws(ServerError) -> Int64? {
    switch database {
    case .public: return settings.publicQuotaBytes
    case .private(let owner):
      if settings.hasUserQuotas, let own = try store.quota(ofUser: owner) { return own.bytes }
      return settings.userQuotaBytes
    }
  }

  private func error(left: Int64, needed: Int64) -> ServerError {
    let reason =
      showsBytes
      ? "the storage quota is exceeded: \(max(0, left)) bytes are left, and the record needs "
        + "\(needed) more"
      : Reason.ownerQuotaExceeded
    return ServerError(.quotaExceeded, reason)
  }
}
