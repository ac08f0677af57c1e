import StratusWire

/// A record that a restore saves or deletes.
struct RestoredRecord: Sendable {
  var operation: RecordOperation
  /// The users and times of the restored state, or nil for a deletion.
  var stamps: RestoredStamps?

  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  init(_ record: StoredRecord) throws(ServerError) {
    let fields = try record.fieldsWithoutSharing()
    do throws(WireError) {
      operation = RecordOperation(
        .forceReplace, recordName: record.name, recordType: record.type,
        fields: try JSONView(parsing: fields.text),
        parent: record.parentRecordName.map { .set(recordName: $0) } ?? .removed)
    } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
    stamps = RestoredStamps(
      created: record.created, modifiedBy: record.modified.userRecordName)
  }

  init(deleting name: String) {
    operation = RecordOperation(.forceDelete, recordName: name)
  }
}

/// The users and times of a restored record.
struct RestoredStamps: Sendable, Hashable {
  /// When and by whom the record was created. It is used if the record does not exist any more.
  var created: Stamp
  /// The user who last modified the record before the time to which it is restored.
  var modifiedBy: String
}

extension ModifyRecordsHandler {
  /// Saves and deletes records of one zone, as the zone's owner.
  ///
  /// If the records cannot be written together, they are written one by one, so that one record
  /// does not prevent the restore of the others.
  ///
  /// - Parameter encryptionScope: the encryption scope of the zone, if the zone must be created.
  /// - Returns: one item for each record, in order.
  func restore(
    _ records: [RestoredRecord], _ zone: ZoneAddress, in database: OpenDatabase,
    encryptionScope: EncryptionScope? = nil
  ) async throws(ServerError) -> [RecordItem] {
    if records.isEmpty { return [] }
    do throws(ServerError) {
      return try await write(records, zone, in: database, encryptionScope)
    } catch {
      if error.code == .internalError || error.code == .tryAgainLater { throw error }
      guard records.count > 1 else {
        return [
          .failure(
            RecordFailure(
              recordName: records[0].operation.recordName ?? "",
              error: error.dictionary(for: database.caller), serverRecord: nil))
        ]
      }
      var items: [RecordItem] = []
      for record in records {
        items += try await restore([record], zone, in: database, encryptionScope: encryptionScope)
      }
      return items
    }
  }

  private func write(
    _ records: [RestoredRecord], _ zone: ZoneAddress, in database: OpenDatabase,
    _ encryptionScope: EncryptionScope?
  ) async throws(ServerError) -> [RecordItem] {
    let key = ZoneWriters.Key(store: database.address, zone: zone)
    try writers.enter([key])
    defer { writers.leave([key]) }
    let origin = ChangeOrigin(
      user: zone.database.owner ?? "", deviceID: nil, notificationID: ambient.makeUUID(),
      time: ambient.now())
    let operations = records.map { record in
      var sent = SentOperation(record.operation)
      sent.restored = record.stamps
      return sent
    }
    let ids = ShareBatch.IDs(
      for: operations.map(\.operation), at: database.address, makeUUID: ambient.makeUUID)
    let request = ModifyRecords.Request(zoneID: nil, operations: [], isAtomic: false)
    let outcome = try await database.store.write(to: [zone]) { (store) throws(ServerError) in
      if let encryptionScope, !zone.isDefault,
        try store.lockZone(named: zone.name, in: zone.database) == nil
      {
        guard try store.zoneCount(in: zone.database) < Limits.zonesPerDatabaseMax else {
          throw .badRequest(
            "the database has \(Limits.zonesPerDatabaseMax) zones, the most allowed")
        }
        _ = try store.createZone(
          named: zone.name, in: zone.database, encryptionScope: encryptionScope)
      }
      var room = AnswerBudget()
      let effects = ShareEffects(
        address: zone, origin: origin, deviceID: database.caller.deviceID,
        followers: FollowerBudget(followersMax))
      return try settle(
        operations, ids, effects, request: request, in: database, of: store, room: &room)
    }
    if outcome.hasMoreToCascade { cascades.send(StoreSignal(database.address)) }
    if outcome.isWatched { changes.send(StoreSignal(database.address)) }
    return outcome.items
  }
}
