/// One fetch or one sending of changes, as it was asked for.
struct SyncJob: Sendable {
  enum Work: Sendable {
    case fetch(CKSyncEngine.FetchChangesOptions)
    case send(CKSyncEngine.SendChangesOptions)
  }

  /// Names it to those who wait for it.
  let id: Int
  var work: Work
  let reason: CKSyncEngine.SyncReason
}

/// How a job ended.
struct SyncJobEnd: Sendable {
  /// Why it did not do all it was to do.
  var failure: CKError?
  /// Why the engine may not hear of changes: a reason to come again, but none to complain.
  var subscriptionFailure: CKError?
  /// Whether it asked to be done again without having got anywhere, so that at once would be for
  /// ever.
  var isFruitless = false
  /// Whether it was called off because nobody waits for it any more: what else it was to do by the
  /// way is due again.
  var isAbandoned = false
}
