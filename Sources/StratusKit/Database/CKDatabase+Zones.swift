extension CKDatabase {
  // Several zones.

  /// Fetches every zone of this database, including the default zone. The shared database has no
  /// default zone.
  public func allRecordZones() async throws -> [CKRecordZone] {
    try await outcome(Self.fetchAll)
  }

  /// Fetches every zone of this database, including the default zone. The shared database has no
  /// default zone.
  @preconcurrency
  public func fetchAllRecordZones(
    completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
  ) {
    add(Self.fetchAll { $0.report(to: completionHandler) })
  }

  /// Fetches zones by their IDs.
  ///
  /// - Throws: the error of the whole request. An error of a single zone is the result of that
  ///   zone.
  public func recordZones(
    for ids: [CKRecordZone.ID]
  ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
    try await outcome { Self.fetch(ids, $0) }
  }

  /// Fetches zones by their IDs; see `recordZones(for:)`.
  @preconcurrency
  public func fetch(
    withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
      ) -> Void
  ) {
    add(Self.fetch(zoneIDs, completionHandler))
  }

  /// Creates and deletes zones.
  ///
  /// - Throws: the error of the whole request. An error of a single zone is the result of that
  ///   zone.
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
  ) async throws -> (
    saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
    deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
  ) {
    try await outcome { Self.modify(recordZonesToSave, recordZoneIDsToDelete, $0) }
  }

  /// Creates and deletes zones; see `modifyRecordZones(saving:deleting:)`.
  @preconcurrency
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
            deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    add(Self.modify(recordZonesToSave, recordZoneIDsToDelete, completionHandler))
  }

  // One zone.

  /// Fetches a zone.
  ///
  /// - Throws: `CKError.zoneNotFound` if the zone does not exist.
  public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
    try await outcome { completion in
      Self.fetch([zoneID]) { completion($0.only(zoneID)) }
    }
  }

  /// Fetches a zone; see `recordZone(for:)`.
  @preconcurrency
  public func fetch(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    add(Self.fetch([zoneID]) { $0.only(zoneID).report(to: completionHandler) })
  }

  /// Creates a zone. A zone that already exists stays unchanged.
  @discardableResult
  public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
    try await outcome { Self.save(zone, $0) }
  }

  /// Creates a zone; see `save(_:)`.
  @preconcurrency
  public func save(
    _ zone: CKRecordZone,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    add(Self.save(zone) { $0.report(to: completionHandler) })
  }

  /// Deletes a zone with everything in it. In the shared database, the user leaves all shares of
  /// the zone instead.
  ///
  /// - Throws: `CKError.zoneNotFound` if the zone does not exist.
  @discardableResult
  public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
    try await outcome { Self.delete(zoneID, $0) }
  }

  /// Deletes a zone; see `deleteRecordZone(withID:)`.
  @preconcurrency
  public func delete(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
  ) {
    add(Self.delete(zoneID) { $0.report(to: completionHandler) })
  }

  // The operations behind these methods.

  private static func fetchAll(
    _ completion: @escaping (Result<[CKRecordZone], any Error>) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    var zones: [CKRecordZone] = []
    operation.perRecordZoneResultBlock = { _, result in
      if case .success(let zone) = result { zones.append(zone) }
    }
    operation.fetchRecordZonesResultBlock = { result in completion(result.map { zones }) }
    return operation
  }

  private static func fetch(
    _ zoneIDs: [CKRecordZone.ID],
    _ completion:
      @escaping (
        Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
      ) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKFetchRecordZonesOperation(recordZoneIDs: zoneIDs)
    var results: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
    operation.perRecordZoneResultBlock = { results[$0] = $1 }
    operation.fetchRecordZonesResultBlock = { result in completion(result.map { results }) }
    return operation
  }

  private static func modify(
    _ saving: [CKRecordZone], _ deleting: [CKRecordZone.ID],
    _ completion:
      @escaping (
        Result<
          (
            saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
            deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) -> CKDatabaseOperation {
    let operation = CKModifyRecordZonesOperation(
      recordZonesToSave: saving, recordZoneIDsToDelete: deleting)
    var saves: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
    var deletes: [CKRecordZone.ID: Result<Void, any Error>] = [:]
    operation.perRecordZoneSaveBlock = { saves[$0] = $1 }
    operation.perRecordZoneDeleteBlock = { deletes[$0] = $1 }
    operation.modifyRecordZonesResultBlock = { result in
      completion(result.map { (saves, deletes) })
    }
    return operation
  }

  private static func save(
    _ zone: CKRecordZone, _ completion: @escaping (Result<CKRecordZone, any Error>) -> Void
  ) -> CKDatabaseOperation {
    modify([zone], []) { result in
      completion(result.map(\.saveResults).only(zone.zoneID))
    }
  }

  private static func delete(
    _ zoneID: CKRecordZone.ID,
    _ completion: @escaping (Result<CKRecordZone.ID, any Error>) -> Void
  ) -> CKDatabaseOperation {
    modify([], [zoneID]) { result in
      completion(result.map(\.deleteResults).only(zoneID).map { zoneID })
    }
  }
}
