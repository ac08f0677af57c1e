import StratusTransport
import StratusWire
import Synchronization

/// Sends the requests of a sync engine with the code that the operations (such as
/// `CKModifyRecordsOperation`) use, too.
struct ServerSyncCalls: SyncCalls {
  let path: RequestPath
  let scope: DatabaseScope
  /// The options that the database's container was configured with.
  let overrides: CallOverrides
  /// Provides the account that the engine's last check found. Requests are sent for this account,
  /// and fail if another account has signed in since that check.
  let accounts: ServerAccountFeed

  private func calls(_ group: CKOperationGroup?) -> DatabaseCalls {
    let group = group ?? overrides.group
    let configuration = overrides.configuration
    var options = Connection.Options(
      (group?.defaultConfiguration?.explicit).map(configuration.completed(by:)) ?? configuration,
      operationID: nil, group: group)
    options.generation = accounts.generation
    return DatabaseCalls(path: path, scope: scope, options: options)
  }

  func databaseChanges(
    since token: String?, group: CKOperationGroup
  ) async throws(CKError) -> SyncDatabasePage {
    let database = calls(group)
    let read = try await database.databaseChanges(
      since: token, resultsLimit: 0, showsIncarnations: true,
      naming: try await database.naming())
    var page = SyncDatabasePage(
      incarnations: read.incarnations, token: read.token, moreComing: read.moreComing)
    for change in read.changes {
      switch change {
      case .changed(let zoneID): page.modifications.append(zoneID)
      case .deleted(let deletion): page.deletions.append(deletion)
      }
    }
    return page
  }

  func zoneChanges(
    in zoneID: CKRecordZone.ID, since token: String?, group: CKOperationGroup
  ) async throws(CKError) -> SyncZonePage {
    let database = calls(group)
    var feed = ZoneFeed(zoneID: zoneID, syncToken: token, resultsLimit: 0, desiredKeys: nil)
    feed.countsRemaining = true
    let read = try await feed.next(from: database, naming: try await database.naming())
    var page = SyncZonePage(
      token: read.token.syncToken, moreComing: read.moreComing,
      remainingCountMax: read.remainingCountMax)
    page.records.reserveCapacity(read.changes.count)
    // Choice: a record whose file is not available is delivered without the file. A fetch with the
    // new token does not return this record again, so the file is not fetched later.
    try await database.fetchFiles(of: read.changes, losing: .operation, record: \.record) {
      change, error in
      page.recordError = page.recordError ?? error
      switch change {
      case .changed(_, .success(let record)): page.records.append(record)
      case .changed(_, .failure(let error)): page.recordError = page.recordError ?? error
      case .deleted(let recordID, let recordType):
        page.deletions.append(.init(recordID: recordID, recordType: recordType))
      }
    }
    return page
  }

  func modifyZones(
    saving zones: [CKRecordZone], deleting zoneIDs: [CKRecordZone.ID], group: CKOperationGroup
  ) async throws(CKError) -> SyncZonesOutcome {
    let given = try await calls(group).modifyZones(
      saving: zones, deleting: zoneIDs, showsIncarnations: true)
    var outcome = SyncZonesOutcome()
    outcome.incarnations = given.incarnations
    for (zone, (_, result)) in zip(zones, given.saves) {
      switch result {
      case .success(let saved): outcome.saved.append(saved)
      case .failure(let error): outcome.failedSaves.append((zone, error))
      }
    }
    for (zoneID, error) in given.deletes {
      if let error {
        outcome.failedDeletes.append((zoneID, error))
      } else {
        outcome.deleted.append(zoneID)
      }
    }
    return outcome
  }

  func modifyRecords(
    saving records: [CKRecord], deleting recordIDs: [CKRecord.ID], isAtomic: Bool,
    group: CKOperationGroup
  ) async -> SyncRecordsOutcome {
    let results = Mutex<[CKRecord.ID: CKError?]>([:])
    let modification = RecordModification(
      database: calls(group), isAtomic: isAtomic,
      clientChangeToken: nil, progress: { _, _ in },
      deliver: { item, error in
        results.withLock { $0[item.recordID] = .some(error) }
      })
    var failure = CKError.badAnswer
    do throws(CKError) {
      try await modification.run(
        saving: records, policy: .ifServerRecordUnchanged, deleting: recordIDs)
    } catch {
      failure = error
    }
    let known = results.withLock { $0 }
    var outcome = SyncRecordsOutcome()
    outcome.saved.reserveCapacity(records.count)
    for record in records {
      if let error = known[record.recordID] ?? failure {
        outcome.failedSaves.append((record, error))
      } else {
        outcome.saved.append(record)
      }
    }
    for recordID in recordIDs {
      if let error = known[recordID] ?? failure {
        outcome.failedDeletes.append((recordID, error))
      } else {
        outcome.deleted.append(recordID)
      }
    }
    return outcome
  }

  func subscribe(id: String?) async throws(CKError) -> String {
    let database = calls(nil)
    let known = try await database.send(ListSubscriptions.self, EmptyRequest())
    let found = known.subscriptions.compactMap { item -> String? in
      guard case .subscription(let subscription) = item, case .database(nil) = subscription.subject
      else { return nil }
      return subscription.id
    }
    if let id, found.contains(where: id.isIdentical) { return id }
    if id == nil, let first = found.first { return first }
    var info = NotificationInfo()
    info.shouldSendContentAvailable = true
    let wanted = Subscription(
      id: id ?? Self.subscriptionID(of: scope), .database(recordType: nil),
      notificationInfo: info)
    let answer = try await database.send(
      ModifySubscriptions.self, ModifySubscriptions.Request(operations: [.save(wanted)]))
    switch answer.subscriptions.first {
    case .subscription(let made)?: return made.id ?? wanted.id ?? ""
    case .failure(_, let error)?: throw CKError(error)
    case .deleted?, nil: throw CKError.badAnswer
    }
  }

  /// Choice: all devices use the same ID, so that two devices that start at the same time create
  /// only one subscription.
  private static func subscriptionID(of scope: DatabaseScope) -> String {
    "stratus.sync-engine.\(scope.rawValue)"
  }
}

extension SyncSurroundings {
  /// The environment of an engine in an app.
  package init(of database: CKDatabase) {
    let path = database.container.path
    let accounts = ServerAccountFeed(path: path)
    self.init(
      timing: path.connection?.timing ?? Live.timing,
      // NB: the task is detached, because an engine does not belong to the task that wakes it.
      spawn: { work in Task.detached { await work() } },
      calls: ServerSyncCalls(
        path: path, scope: database.databaseScope.wire, overrides: database.container.overrides,
        accounts: accounts),
      notifications: path.notificationFeed, accounts: accounts)
  }
}
