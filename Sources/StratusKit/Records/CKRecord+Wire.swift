import Foundation
import StratusWire

extension CKRecord {
  /// A record from an answer.
  ///
  /// - Throws: `CKError.internalError` if its fields are not as the server writes them.
  convenience init(wire: RecordDictionary, naming: UserNaming) throws(CKError) {
    let zoneID = CKRecordZoneID(wire: wire.zoneID, naming: naming)
    let fields: [(key: String, value: FieldValue)]
    do throws(WireError) {
      guard !wire.recordName.isEmpty, !wire.recordType.isEmpty else {
        throw WireError("a record without a name or type")
      }
      fields = try wire.fields.values()
    } catch {
      throw CKError(.internalError, description: "unreadable record: \(error.reason)")
    }
    var state = RecordState(
      recordType: wire.recordType,
      recordID: CKRecordID(recordName: wire.recordName, zoneID: zoneID))
    state.system = SystemFields(wire: wire, naming: naming)
    state.values.reserveCapacity(fields.count)
    for (key, value) in fields {
      if case .sealed(let type, let bytes) = value {
        // NB: opened by `DatabaseCalls.openValues(of:)`, which may have to fetch keys.
        state.encrypted.take(EncryptedFields.Sealed(type: type, bytes: bytes), for: key)
        continue
      }
      state.values[key] =
        value.type.element == .asset
        ? value.storedAssets(of: state.recordID, field: key)
        : value.stored(in: zoneID, naming: naming)
    }
    if let name = wire.parentRecordName, !name.isEmpty {
      state.parent = CKReference(
        recordID: CKRecordID(recordName: name, zoneID: zoneID), action: .none)
    }
    self.init(state: state)
  }
}

extension SystemFields {
  init(wire: RecordDictionary, naming: UserNaming) {
    changeTag = wire.recordChangeTag
    creationDate = Date(milliseconds: wire.created.timestamp)
    creatorUserRecordID = naming.shownID(wire.created.userRecordName)
    modificationDate = Date(milliseconds: wire.modified.timestamp)
    lastModifiedUserRecordID = naming.shownID(wire.modified.userRecordName)
    modifiedByDevice = wire.modified.deviceID
  }
}

extension Date {
  /// - Parameter milliseconds: since 1970 UTC.
  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
