import CloudKit

/// The zone of the notes on the server. Each method runs one CloudKit operation.
struct NoteZone: Sendable {
  let database: CKDatabase

  /// Creates the zone. An existing zone is not changed.
  func make() async throws {
    try await run { finish in
      let operation = CKModifyRecordZonesOperation(
        recordZonesToSave: [CKRecordZone(zoneID: Note.zoneID)])
      var outcome = Result<Void, any Error>.success(())
      operation.perRecordZoneSaveBlock = { _, result in outcome = result.map { _ in } }
      operation.modifyRecordZonesResultBlock = { finish($0.flatMap { outcome }) }
      return operation
    }
  }

  func isThere() async throws -> Bool {
    do {
      try await run { finish in
        let operation = CKFetchRecordZonesOperation(recordZoneIDs: [Note.zoneID])
        var outcome = Result<Void, any Error>.success(())
        operation.perRecordZoneResultBlock = { _, result in outcome = result.map { _ in } }
        operation.fetchRecordZonesResultBlock = { finish($0.flatMap { outcome }) }
        return operation
      }
      return true
    } catch CKError.zoneNotFound {
      return false
    }
  }

  /// Deletes the zone with all its notes. A missing zone is not an error.
  func delete() async throws {
    do {
      try await run { finish in
        let operation = CKModifyRecordZonesOperation(recordZoneIDsToDelete: [Note.zoneID])
        var outcome = Result<Void, any Error>.success(())
        operation.perRecordZoneDeleteBlock = { _, result in outcome = result }
        operation.modifyRecordZonesResultBlock = { finish($0.flatMap { outcome }) }
        return operation
      }
    } catch CKError.zoneNotFound, CKError.userDeletedZone {
      return
    }
  }

  /// Subscribes to silent pushes for all changes in the database.
  func subscribe() async throws {
    try await run { finish in
      let subscription = CKDatabaseSubscription(subscriptionID: Note.subscriptionID)
      let info = CKSubscription.NotificationInfo()
      info.shouldSendContentAvailable = true
      subscription.notificationInfo = info
      let operation = CKModifySubscriptionsOperation(subscriptionsToSave: [subscription])
      var outcome = Result<Void, any Error>.success(())
      operation.perSubscriptionSaveBlock = { _, result in outcome = result.map { _ in } }
      operation.modifySubscriptionsResultBlock = { finish($0.flatMap { outcome }) }
      return operation
    }
  }

  /// Runs an operation until its last block is called, and returns the result of this block.
  ///
  /// - Parameter make: creates the operation with its blocks. The last block calls the given
  ///   function.
  func run<Value: Sendable>(
    _ make: (_ finish: @escaping (Result<Value, any Error>) -> Void) -> CKDatabaseOperation
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let operation = make { continuation.resume(with: $0) }
      operation.qualityOfService = .userInitiated
      database.add(operation)
    }
  }
}
