import StratusTransport
import StratusWire

extension PreparedBatch.Item {
  /// Whether the item is a record with encrypted fields to send.
  var hasEncryptedFields: Bool {
    switch self {
    case .save(_, let save): !save.encryptedFields.isEmpty
    case .delete: false
    }
  }
}

extension PreparedBatch {
  /// Whether any record of the batch has encrypted fields to send.
  var hasEncryptedFields: Bool { items.contains(where: \.hasEncryptedFields) }

  /// Encrypts the encrypted fields of the batch's records. If encryption is impossible, the records
  /// with encrypted fields are rejected.
  ///
  /// The method may be called again after the server has reported that the zone has another key.
  /// - Throws: the error of the whole request.
  mutating func seal(for database: DatabaseCalls, isAtomic: Bool) async throws(CKError) {
    if !hasEncryptedFields { return }
    do throws(KeyFailure) {
      let keyRing = try keyRing(of: database)
      let places = try await places(by: keyRing, options: database.options)
      var keys: [ExactKey: ZoneKey] = [:]
      for place in Set(places.compactMap { $0 }) {
        keys[place] = try await keyRing.sealingKey(
          of: zoneID.wire, root: place.text, options: database.options)
      }
      try seal(with: places.map { place in place.flatMap { keys[$0] } })
    } catch {
      switch error {
      case .transport: throw CKError(error)
      case .missing, .unusable: refuseEncrypted(CKError(error), isAtomic: isAtomic)
      case .notHere(let reason):
        refuseEncrypted(CKError(.invalidArguments, description: reason), isAtomic: isAtomic)
      }
    }
  }

  private func keyRing(of database: DatabaseCalls) throws(KeyFailure) -> KeyRing {
    switch database.scope {
    case .private, .shared: break
    case .public: throw .notHere(Reason.encryptedInPublic)
    }
    guard let keyRing = database.path.keyRing else { throw .unusable("no container is named") }
    return keyRing
  }

  /// - Parameter keys: the key for each item; nil if the item has no values to encrypt.
  private mutating func seal(with keys: [ZoneKey?]) throws(KeyFailure) {
    for (index, item) in items.enumerated() {
      guard case .save(let record, var save) = item, !save.encryptedFields.isEmpty,
        let key = keys[index]
      else { continue }
      let recordKey = key.recordKey(of: record.recordID.recordName)
      var values: [(key: String, value: FieldValue?)] = []
      for field in save.encryptedFields {
        // Removed fields are already in the operation.
        guard let value = field.value else { continue }
        values.append(
          (
            field.key,
            try recordKey.sealed(value, field: field.key, randomness: Live.randomness)
          ))
      }
      try save.replaceFields(values)
      items[index] = .save(record, save)
    }
  }

  private mutating func refuseEncrypted(_ error: CKError, isAtomic: Bool) {
    let all = items
    items = []
    for item in all {
      switch item {
      case .save(let record, let save) where !save.encryptedFields.isEmpty:
        refused.append((.save(record, save.policy), error))
      case .save, .delete: items.append(item)
      }
    }
    refuseAllIfOne(isAtomic)
  }
}

extension RecordSave {
  /// Adds fields to the operation. An added field replaces the existing field with the same name.
  fileprivate mutating func replaceFields(
    _ values: [(key: String, value: FieldValue?)]
  ) throws(KeyFailure) {
    do throws(WireError) {
      operation.fields = try operation.fields?.replacing(values)
    } catch {
      throw .unusable(error.reason)
    }
  }
}
