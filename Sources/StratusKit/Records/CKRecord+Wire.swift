import Foundation
import StratusWire

extension RecordState {
  /// Makes the contents of a record from a response.
  ///
  /// - Throws: `CKError.internalError` if the fields do not have the server's format.
  init(wire: RecordDictionary, naming: UserNaming) throws(CKError) {
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
    self.init(
      recordType: wire.recordType,
      recordID: CKRecordID(recordName: wire.recordName, zoneID: zoneID))
    system = SystemFields(wire: wire, in: zoneID, naming: naming)
    values.reserveCapacity(fields.count)
    for (key, value) in fields {
      if case .sealed(let type, let bytes) = value {
        // NB: `DatabaseCalls.openValues(of:)` decrypts the value later, because it may have to
        // fetch keys.
        encrypted.take(EncryptedFields.Sealed(type: type, bytes: bytes), for: key)
        continue
      }
      values[key] =
        value.type.element == .asset
        ? value.storedAssets(of: recordID, field: key)
        : value.stored(in: zoneID, naming: naming)
    }
    parent = CKReference(wire: wire.parentRecordName, in: zoneID)
    if recordType == CKRecord.SystemType.share {
      sharing = ShareContents(wire: wire, naming: naming)
    }
  }
}

extension CKReference {
  /// Makes a reference to a record of the given zone; nil if the response contains no record name.
  convenience init?(wire recordName: String?, in zoneID: CKRecordZoneID) {
    guard let recordName, !recordName.isEmpty else { return nil }
    self.init(recordID: CKRecordID(recordName: recordName, zoneID: zoneID), action: .none)
  }
}

extension SystemFields {
  /// - Parameter zoneID: the zone of the record and of its share.
  init(wire: RecordDictionary, in zoneID: CKRecordZoneID, naming: UserNaming) {
    changeTag = wire.recordChangeTag
    creationDate = Date(milliseconds: wire.created.timestamp)
    creatorUserRecordID = naming.shownID(wire.created.userRecordName)
    modificationDate = Date(milliseconds: wire.modified.timestamp)
    lastModifiedUserRecordID = naming.shownID(wire.modified.userRecordName)
    modifiedByDevice = wire.modified.deviceID
    share = CKReference(wire: wire.shareRecordName, in: zoneID)
    shortGUID = wire.shortGUID
  }
}

extension Date {
  /// - Parameter milliseconds: the number of milliseconds since the start of 1970 in UTC.
  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
