import CloudKit

/// The notes' zone on the server. Each function runs one of CloudKit's operations.
struct NoteZone: Sendable {
  let database: CKDatabase

  /// Creates the zone; an existing zone stays as it is.
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

  /// Deletes the zone with all notes in it; a missing zone is no error.
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

  /// Asks for a silent push to the user's devices whenever anything changes in the database.
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

  /// Runs an operation until its last block, and returns the block's result to a waiting caller.
  ///
  /// - Parameter make: creates the operation with its blocks; the last block calls the given
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
