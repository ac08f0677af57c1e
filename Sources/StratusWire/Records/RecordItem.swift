/// The result for one record of a request, or one entry of a change feed.
public enum RecordItem: Sendable {
  case record(RecordDictionary)
  case deleted(Tombstone)
  case failure(RecordFailure)
}

/// A deleted record in an answer.
public struct Tombstone: Sendable, Hashable {
  public var recordName: String
  /// The zone of the record. Only change feeds contain it.
  public var zoneID: ZoneID?
  /// The record type. It is present only if the request has `deletedRecordTypes`, because web
  /// clients recognize a deleted record by its missing type.
  public var recordType: String?

  public init(recordName: String, zoneID: ZoneID? = nil, recordType: String? = nil) {
    self.recordName = recordName
    self.zoneID = zoneID
    self.recordType = recordType
  }
}

/// The failure of one record of a request.
public struct RecordFailure: Sendable {
  public var recordName: String
  public var error: ErrorDictionary
  /// The record on the server. It is present only with `CONFLICT`, and Apple's dictionary does not
  /// have it.
  public var serverRecord: RecordDictionary?
  /// The root of the shared hierarchy whose key must seal the record's values. nil means the key of
  /// the zone. It has a meaning only with ``Reason/sealedElsewhere``, and Apple's dictionary does
  /// not have it.
  public var sealingRootRecordName: String?

  public init(
    recordName: String, error: ErrorDictionary, serverRecord: RecordDictionary? = nil,
    sealingRootRecordName: String? = nil
  ) {
    self.recordName = recordName
    self.error = error
    self.serverRecord = serverRecord
    self.sealingRootRecordName = sealingRootRecordName
  }
}

extension RecordItem: JSONWritable, JSONReadable {
  /// The approximate length of the JSON text, in bytes.
  public var expectedByteCount: Int {
    switch self {
    case .record(let record):
      record.fields.text.count + 640 + (record.sharing?.expectedByteCount ?? 0)
    case .deleted: 256
    case .failure(let failure): 512 + (failure.serverRecord?.fields.text.count ?? 0)
    }
  }

  public func write(to writer: inout JSONWriter) {
    switch self {
    case .record(let record): record.write(to: &writer)
    case .deleted(let tombstone):
      writer.object { writer in
        writer.member("recordName", tombstone.recordName)
        writer.member("deleted", true)
        writer.member("zoneID", tombstone.zoneID)
        writer.member("deletedRecordType", tombstone.recordType)
      }
    case .failure(let failure):
      writer.object { writer in
        writer.member("recordName", failure.recordName)
        writer.member("reason", failure.error.reason)
        writer.member("serverErrorCode", failure.error.code.rawValue)
        writer.member("uuid", failure.error.uuid)
        writer.member("retryAfter", failure.error.retryAfterSeconds.map(Int64.init))
        writer.member("ckErrorCode", failure.error.nativeCode.map(Int64.init))
        writer.member("serverRecord", failure.serverRecord)
        writer.member("sealingRootRecordName", failure.sealingRootRecordName)
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    if json["serverErrorCode"] != nil {
      self = .failure(
        RecordFailure(
          recordName: try json.requiredString("recordName"),
          error: try ErrorDictionary(json: json),
          serverRecord: try json.optional("serverRecord"),
          sealingRootRecordName: try json.optionalString("sealingRootRecordName")))
    } else if json["deleted"]?.bool == true {
      self = .deleted(
        Tombstone(
          recordName: try json.requiredString("recordName"),
          zoneID: try json.optional("zoneID"),
          recordType: try json.optionalString("deletedRecordType")))
    } else {
      self = .record(try RecordDictionary(json: json))
    }
  }
}
