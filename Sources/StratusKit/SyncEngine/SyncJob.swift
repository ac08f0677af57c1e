/// One fetch or one send, as it was asked for.
struct SyncJob: Sendable {
  enum Work: Sendable {
    case fetch(CKSyncEngine.FetchChangesOptions)
    case send(CKSyncEngine.SendChangesOptions)
  }

  /// Identifies the job to the callers that wait for it.
  let id: Int
  var work: Work
  let reason: CKSyncEngine.SyncReason
}

/// How a job ended.
struct SyncJobEnd: Sendable {
  /// Why the job ended early.
  var stopReason: CKError?
  /// Why the engine may have to repeat the job: the `stopReason`, or the error of a single zone or
  /// record.
  var failure: CKError?
  /// The errors of single zones and records, as one `partialFailure`.
  var itemFailure: CKError?
  /// Why the engine may not hear of changes. The fetch is repeated for it, but has not failed.
  var subscriptionFailure: CKError?
  /// Whether the job sent nothing. If more is to be sent all the same, repeating it at once might
  /// never end.
  var isFruitless = false
  /// Whether the job was cancelled because no caller waits for it any more. The scheduled work that
  /// it did along the way is then due again.
  var isAbandoned = false

  /// The error for the callers that wait for the job.
  ///
  /// Choice: a reason that ended the job early is thrown as it is. Otherwise the errors of single
  /// zones and records are thrown together as `CKError.partialFailure`, by ID, because one call may
  /// have many of them.
  var thrownError: CKError? { stopReason ?? itemFailure ?? failure }
}
