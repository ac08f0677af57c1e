import Synchronization

extension CKSyncEngine {
  /// The state of an engine's work at one moment, for example for a line of text in the app's
  /// settings, or for a report of an error. It contains no records.
  ///
  /// Apple's framework does not have this type. It is an addition of Stratus.
  public struct Status: Sendable {
    /// The work that an engine does at a moment.
    public enum Activity: Sendable, Hashable {
      /// The engine neither fetches nor sends.
      case idle
      /// The engine fetches changes from the server.
      case fetching
      /// The engine sends changes to the server.
      case sending
    }

    /// The work that the engine does now.
    public let activity: Activity
    /// Whether a user is signed in; nil if the engine has not found out yet.
    public let isSignedIn: Bool?
    /// The number of changes of records to be sent.
    public let pendingRecordZoneChangesCount: Int
    /// The number of changes of zones to be sent.
    public let pendingDatabaseChangesCount: Int
    /// Whether the app has changes that it has not added to the state.
    public let hasPendingUntrackedChanges: Bool
    /// The number of zones with changes that the engine has not fetched yet.
    public let unfetchedZonesCount: Int
    /// An upper bound for the number of changes that remain in the zone that the engine fetches
    /// now. It is nil if no zone is being fetched, or if the server does not report the number. The
    /// actual number is smaller if records have changed several times.
    public let remainingChangesCountMax: Int?
    /// The newest of the errors with which the last fetch, the last send and the last check of the
    /// account have failed; nil if none of them has failed.
    public let lastError: CKError?
    /// The seconds since ``lastError``; nil if ``lastError`` is nil.
    public let lastErrorAgeSeconds: Double?
    /// The seconds since the end of the last fetch without an error; nil if there was none.
    public let lastFetchAgeSeconds: Double?
    /// The seconds since the end of the last send without an error; nil if there was none.
    public let lastSendAgeSeconds: Double?
    /// The seconds until the engine next works by itself, for example until the next retry after an
    /// error. It is nil if nothing is due, and 0 if the work is due now.
    public let nextAttemptAfterSeconds: Double?
  }
}

/// The results of an engine's last jobs.
struct SyncRecord: Sendable {
  /// The last error of each kind of job, with its time in seconds on the clock.
  private var fetchError: (error: CKError, time: Double)?
  private var sendError: (error: CKError, time: Double)?
  private var accountError: (error: CKError, time: Double)?
  private(set) var lastFetch: Double?
  private(set) var lastSend: Double?
  /// For each zone that is being fetched: an upper bound for the number of changes that remain.
  var remaining: [CKRecordZone.ID: Int] = [:]

  /// The newest error of all kinds of jobs.
  var lastError: (error: CKError, time: Double)? {
    [fetchError, sendError, accountError].compactMap { $0 }.max { $0.time < $1.time }
  }

  /// Notes the end of a job. A cancelled job changes nothing, because it shows nothing about the
  /// server.
  mutating func note(_ job: SyncJob, _ end: SyncJobEnd, at time: Double) {
    let error = end.thrownError
    if error?.code == .operationCancelled { return }
    accountError = nil
    let noted = error.map { (error: $0, time: time) }
    switch job.work {
    case .fetch:
      fetchError = noted
      if error == nil { lastFetch = time }
    case .send:
      sendError = noted
      if error == nil { lastSend = time }
    }
  }

  /// Notes the error of a check of the account.
  mutating func note(_ error: CKError, at time: Double) { accountError = (error, time) }
}

extension SyncDriver {
  /// The status of the engine.
  var status: CKSyncEngine.Status {
    let (records, zones, isUntracked, unfetched) = state.with {
      ($0.records.count, $0.zones.count, $0.hasUntrackedChanges, $0.unfetchedZones.count)
    }
    let now = now
    return core.withLock { core in
      let activity: CKSyncEngine.Status.Activity =
        switch core.job?.work {
        case .fetch: .fetching
        case .send: .sending
        case nil: .idle
        }
      func age(_ time: Double?) -> Double? { time.map { max(0, now - $0) } }
      return CKSyncEngine.Status(
        activity: activity, isSignedIn: core.schedule.isSignedIn,
        pendingRecordZoneChangesCount: records, pendingDatabaseChangesCount: zones,
        hasPendingUntrackedChanges: isUntracked, unfetchedZonesCount: unfetched,
        remainingChangesCountMax: core.record.remaining.values.max(),
        lastError: core.record.lastError?.error,
        lastErrorAgeSeconds: age(core.record.lastError?.time),
        lastFetchAgeSeconds: age(core.record.lastFetch),
        lastSendAgeSeconds: age(core.record.lastSend),
        nextAttemptAfterSeconds: core.schedule.nextDue.map { max(0, $0 - now) })
    }
  }
}
