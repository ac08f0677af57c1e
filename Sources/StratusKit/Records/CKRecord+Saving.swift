import Foundation
import StratusWire

extension CKRecord {
  /// Prepares a save of the record under a policy.
  ///
  /// - Throws: `CKError.invalidArguments` for names and values that the server would reject.
  func prepareSave(
    policy: CKModifyRecordsOperation.RecordSavePolicy
  ) throws(CKError) -> RecordSave {
    let state = withState { state in
      state.sentEditsCount = state.editsCount
      return state
    }
    return try state.prepareSave(policy: policy)
  }

  /// Updates the record after a successful save. The record gets the system fields from the server,
  /// and the saved edits no longer count as changes. Edits that were made during the save still
  /// count as changes.
  func adoptSaved(_ wire: RecordDictionary, of save: RecordSave, naming: UserNaming) {
    withState { state in
      state.settle(save)
      state.sharing?.take(wire, naming: naming, after: save.sharing)
      state.system = SystemFields(wire: wire, in: state.recordID.zoneID, naming: naming)
    }
    for (asset, held) in save.assets { asset.settle(held) }
  }

  /// The last known server version of the record; nil if there is none.
  var ancestor: CKRecord? { snapshot.ancestor.map(RecordFactory.record) }
}

extension RecordState {
  fileprivate func prepareSave(
    policy: CKModifyRecordsOperation.RecordSavePolicy
  ) throws(CKError) -> RecordSave {
    guard recordID.recordName.unicodeScalars.count <= Limits.nameLengthMax else {
      throw CKError(
        .invalidArguments,
        description: "a record name has at most \(Limits.nameLengthMax) characters")
    }
    let isWhole = policy == .allKeys || system.changeTag == nil
    var keys = Array(changes.keys)
    if isWhole { keys = values.keys + keys.filter { values[$0] == nil } }
    // Choice: a record that may be in a shared hierarchy sends all its encrypted values. Values
    // from before the share are thereby sealed with the key of the hierarchy. A save with the
    // policy `changedKeys` sends only the changed values, because the unchanged values would
    // replace newer values of other devices.
    let mayBeShared = policy == .ifServerRecordUnchanged && (parent != nil || system.share != nil)
    let encryptedFields = try encryptedFieldsToSend(&keys, isWhole: isWhole || mayBeShared)
    // Choice: a save with a changed list of participants always compares the change tag. The new
    // list replaces the server's list, and could remove users who have joined since the fetch.
    let isCompared =
      policy == .ifServerRecordUnchanged
      || system.changeTag != nil && sharing?.hasChangedParticipants ?? false
    let kind: RecordOperation.Kind =
      isCompared ? system.changeTag == nil ? .create : .update : .forceUpdate
    let (fields, assetFields) = try fieldsToSend(keys)
    var operation = RecordOperation(
      kind, recordName: recordID.recordName, recordType: recordType,
      recordChangeTag: kind == .update ? system.changeTag : nil,
      fields: fields, parent: try parentToSend(policy: policy))
    operation.share = sharing?.input(isNew: system.changeTag == nil)
    return RecordSave(
      operation: operation, policy: policy, assetFields: assetFields,
      encryptedFields: encryptedFields, encryptedValues: encrypted.values,
      editsCount: editsCount, values: values, parent: parent, sharing: sharing?.sent)
  }

  /// - Parameter keys: the keys of the plain fields to send. The method adds the keys of encrypted
  ///   fields that the save removes, because a request removes encrypted and plain fields in the
  ///   same way. The method drops the key of a field that has an encrypted value, because the
  ///   request would remove that value.
  private func encryptedFieldsToSend(
    _ keys: inout [String], isWhole: Bool
  ) throws(CKError) -> [EncryptedField] {
    if encrypted.isEmpty { return [] }
    if let key = values.keys.filter({ encrypted.holds($0) }).min() {
      throw CKError(
        .invalidArguments,
        description: "field '\(key)' has a plain value and an encrypted value; remove one of them")
    }
    // Choice: setting a plain field to nil does not remove an encrypted value of the same name, and
    // vice versa.
    keys.removeAll { encrypted.holds($0) }
    let fields = try encrypted.fieldsToSend(isWhole: isWhole).filter { values[$0.key] == nil }
    for field in fields {
      guard Self.isFieldName(field.key) else { throw Self.badFieldName(field.key) }
      if field.value == nil { keys.append(field.key) }
    }
    return fields
  }

  private static func badFieldName(_ key: String) -> CKError {
    CKError(
      .invalidArguments,
      description: "'\(key)' is not a field name; use a letter, and then letters, digits and "
        + "underscores")
  }

  private func parentToSend(
    policy: CKModifyRecordsOperation.RecordSavePolicy
  ) throws(CKError) -> ParentChange {
    let isSent = parentChange != nil || policy == .allKeys || system.changeTag == nil
    guard let parent else { return parentChange == nil ? .unchanged : .removed }
    guard parent.recordID.zoneID.isEqual(recordID.zoneID) else {
      throw CKError(
        .invalidArguments, description: "a record and its parent must be in the same zone")
    }
    return isSent ? .set(recordName: parent.recordID.recordName) : .unchanged
  }

  private func fieldsToSend(
    _ keys: [String]
  ) throws(CKError) -> (fields: JSONView, assetFields: [AssetField]) {
    let zoneID = recordID.zoneID.wire
    var assetFields: [AssetField] = []
    var failure: CKError?
    var writer = JSONWriter(reserving: 1_024)
    writer.object { writer in
      for key in keys.sorted() {
        do throws(CKError) {
          guard Self.isFieldName(key) || isShareField(key) else { throw Self.badFieldName(key) }
          let field = try OutgoingField(values[key], key: key, zoneID: zoneID)
          if case .assets(let assets, let isList) = field {
            assetFields.append(AssetField(key: key, assets: assets, isList: isList))
          }
          field.write(key: key, to: &writer)
        } catch {
          failure = failure ?? error
        }
      }
    }
    if let failure { throw failure }
    do throws(WireError) {
      return (try JSONView(parsing: writer.bytes), assetFields)
    } catch {
      throw CKError(.internalError, description: error.reason)
    }
  }

  private func isShareField(_ name: String) -> Bool {
    recordType == CKRecord.SystemType.share && CKShare.SystemFieldKey.all.contains(name)
  }

  private static func isFieldName(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    var isFirst = true
    for byte in name.utf8 {
      let isLetter = letters.contains(byte | 0x20)
      let isOther = !isFirst && (digits.contains(byte) || byte == UInt8(ascii: "_"))
      guard isLetter || isOther else { return false }
      isFirst = false
    }
    return !isFirst && name.utf8.count <= Limits.fieldNameLengthMax
  }
}
