import StratusWire

/// A save of one record, with the values that it sends.
///
/// NB: the type is `@unchecked Sendable` because the values are copies that never change.
struct RecordSave: @unchecked Sendable {
  /// The operation to send. It contains no zone, because the request contains the zone.
  var operation: RecordOperation
  let policy: CKModifyRecordsOperation.RecordSavePolicy
  /// The fields that hold files. They are added to the operation after the upload.
  let assetFields: [AssetField]
  /// The uploaded files.
  var assets: [(asset: CKAsset, held: HeldAsset)] = []
  /// The encrypted fields. Their values are added to the operation after encryption.
  let encryptedFields: [EncryptedField]
  /// The encrypted values of the record when it was sent.
  let encryptedValues: FieldTable<StoredValue>
  /// The number of the record's edits that the save includes.
  let editsCount: Int
  /// The values of the record when it was sent.
  let values: FieldTable<StoredValue>
  let parent: CKReference?
  /// The share's own contents when the record was sent; nil if the record is not a share.
  let sharing: ShareContents.Sent?
}

extension RecordSave {
  /// The size in bytes of all fields except those with files. For encrypted values, which are not
  /// in the operation yet, the size is an estimate.
  var sizeBytes: Int {
    encryptedFields.reduce(operation.fields?.sizeBytes ?? 0) {
      $0 + ($1.value?.valueJSON.count ?? 0) * 4 / 3 + 128
    }
  }

  /// Adds the uploaded files to the operation.
  ///
  /// - Parameter shipped: returns the uploaded file for the index of an asset field and the index
  ///   of an asset in that field.
  mutating func attach(
    to recordID: CKRecord.ID, _ shipped: (_ field: Int, _ asset: Int) -> ShippedAsset?
  ) throws(CKError) {
    var values: [(key: String, value: FieldValue?)] = []
    for (index, field) in assetFields.enumerated() {
      var files: [FieldValue] = []
      for (position, asset) in field.assets.enumerated() {
        guard let file = shipped(index, position) else { throw CKError.badAnswer }
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
