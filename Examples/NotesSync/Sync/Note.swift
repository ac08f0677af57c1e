import CloudKit

/// A note with a name and a text. It is a file on the device, and a record of the same name on the
/// server.
public enum Note {
  static let recordType = "Note"
  /// A zone that only this app uses. Change tokens exist only in custom zones.
  static let zoneID = CKRecordZone.ID(zoneName: "NotesSync")
  static let subscriptionID = "notes-sync"

  /// Whether a note can have this name. The name must be valid for a file and for a record.
  public static func isName(_ name: String) -> Bool {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar != "/" && scalar.properties.generalCategory != .control
    }
    // Swift compares texts by visible characters, and file systems compare bytes.
    let isComposed = name.utf8.elementsEqual(name.precomposedStringWithCanonicalMapping.utf8)
    return isPlain && isComposed && (1...240).contains(name.utf8.count)
      && !name.hasPrefix(".") && !name.hasPrefix("_")
  }

  static func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  /// Returns the name of the note in a record, or nil if the record is not a note.
  static func name(of record: CKRecord) -> String? {
    let name = record.recordID.recordName
    return record.recordType == recordType && isName(name) ? name : nil
  }

  static func text(of record: CKRecord) -> String { record["text"] as? String ?? "" }
}
