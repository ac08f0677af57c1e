import StratusWire

/// A record on its way to the server.
///
/// NB: unchecked because of the values, which are copies that nobody changes.
struct RecordSave: @unchecked Sendable {
  /// What to send. It names no zone: the request does.
  var operation: RecordOperation
  let policy: CKModifyRecordsOperation.RecordSavePolicy
  /// The fields that hold files; they are not in the operation before the files are sent.
  let assetFields: [AssetField]
  /// What was sent of them.
  var assets: [(asset: CKAsset, held: HeldAsset)] = []
  /// The encrypted fields; their values are not in the operation before they are sealed.
  let encryptedFields: [EncryptedField]
  /// The encrypted values the record had when it was sent.
  let encryptedValues: FieldTable<StoredValue>
  /// How many of the record's edits are in it.
  let editsCount: Int
  /// The values the record had when it was sent.
  let values: FieldTable<StoredValue>
  let parent: CKReference?
}

extension RecordSave {
  /// Bytes of the fields; about how many the encrypted values will have, which are not in the
  /// operation yet.
  var sizeBytes: Int {
    encryptedFields.reduce(operation.fields?.sizeBytes ?? 0) {
      $0 + ($1.value?.valueJSON.count ?? 0) * 4 / 3 + 128
    }
  }

  /// Puts the files of the fields that hold them into the operation.
  ///
  /// - Parameter shipped: the file at a place of a field.
  mutating func attach(
    to recordID: CKRecord.ID, _ shipped: (_ field: Int, _ asset: Int) -> ShippedAsset?
  ) throws(CKError) {
    var values: [(key: String, value: FieldValue?)] = []
    for (index, field) in assetFields.enumerated() {
      var files: [FieldValue] = []
      for (place, asset) in field.assets.enumerated() {
        guard let file = shipped(index, place) else { throw CKError.badAnswer }
        files.append(.asset(file.wire))
        assets.append(
          (
            asset,
            HeldAsset(
              checksum: file.wire.fileChecksum, size: file.wire.size, recordID: recordID,
              fieldName: field.key, file: file.file)
          ))
      }
      values.append((field.key, field.isList ? .list(.asset, files) : files.first))
    }
    do throws(WireError) {
      operation.fields = try operation.fields?.replacing(values)
    } catch {
      throw CKError(.internalError, description: error.reason)
    }
  }
}
