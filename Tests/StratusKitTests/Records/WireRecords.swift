import StratusWire

@testable import StratusKit

/// Records in the form in which a server sends them.
enum WireRecords {
  static let naming = UserNaming(currentUserRecordName: "_me")

  static func dictionary(
    fields: [String: FieldValue] = [:], tag: String = "tag-1", parent: String? = nil,
    share: String? = nil, shortGUID: String? = nil
  ) -> RecordDictionary {
    RecordDictionary(
      recordName: "note-1", recordType: "Note",
      fields: FieldsJSON(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
      recordChangeTag: tag,
      created: Stamp(timestamp: 1500, userRecordName: "_me", deviceID: "here"),
      modified: Stamp(timestamp: 2250, userRecordName: "_you", deviceID: "there"),
      zoneID: ZoneID(zoneName: "Notes", ownerRecordName: "_me"), parentRecordName: parent,
      shareRecordName: share, shortGUID: shortGUID)
  }

  static func note(
    fields: [String: FieldValue] = [:], tag: String = "tag-1", parent: String? = nil
  ) throws -> CKRecord {
    try RecordFactory.record(
      wire: dictionary(fields: fields, tag: tag, parent: parent), naming: naming)
  }
}

extension RecordOperation {
  /// The JSON text of the fields that the client sends.
  var fieldsText: String { String(decoding: fieldsBytes, as: UTF8.self) }

  private var fieldsBytes: [UInt8] {
    let text = jsonBytes
    let marker = Array("\"fields\":".utf8)
    guard let start = text.firstRange(of: marker)?.upperBound else { return [] }
    var depth = 0
    for position in start..<text.count {
      if text[position] == UInt8(ascii: "{") { depth += 1 }
      if text[position] == UInt8(ascii: "}") { depth -= 1 }
      if depth == 0 { return Array(text[start...position]) }
    }
    return []
  }
}
