/// One requested fetch or send.
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

/// The result of a job.
struct SyncJobEnd: Sendable {
  /// The reason why the job ended early.
  var stopReason: CKError?
  /// The error because of which the engine may have to repeat the job: the `stopReason`, or the
  /// error of a single zone or record.
  var failure: CKError?
  /// The errors of single zones and records, as one `partialFailure`.
  var itemFailure: CKError?
  /// The error with which the engine's subscription could not be made. Without the subscription,
  /// the engine may receive no notifications. The fetch has not failed, but is repeated to make the
  /// subscription.
  var subscriptionFailure: CKError?
  /// Whether the job is a send in which no change succeeded. If such a job were repeated at once
  /// while changes are pending, the engine might never come to rest.
  var isFruitless = false
  /// Whether the job was cancelled because no caller waits for it any more. In that case, the
  /// scheduled work that the job included is due again.
  var isAbandoned = false

  /// The error for the callers that wait for the job.
  ///
  /// Choice: a reason that ended the job early is thrown unchanged. Otherwise the errors of single
  /// zones and records are thrown together as `CKError.partialFailure`, by ID, because one call may
  /// cause many errors.
  var thrownError: CKError? { stopReason ?? itemFailure ?? failure }
}
