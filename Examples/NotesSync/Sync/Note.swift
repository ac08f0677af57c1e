import CloudKit

/// A note: a name and a text. On the device it is a file, on the server a record of the same name.
public enum Note {
  static let recordType = "Note"
  /// A zone of this app only. Change tokens exist only in custom zones, and other apps of the
  /// container do not use this zone.
  static let zoneID = CKRecordZone.ID(zoneName: "NotesSync")
  static let subscriptionID = "notes-sync"

  /// Whether a note can have this name. The name must be valid for a file and for a record.
  public static func isName(_ name: String) -> Bool {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar != "/" && scalar.properties.generalCategory != .control
    }
    // Swift compares texts by their visible characters, file systems compare bytes.
    let isComposed = name.utf8.elementsEqual(name.precomposedStringWithCanonicalMapping.utf8)
    return isPlain && isComposed && (1...240).contains(name.utf8.count)
      && !name.hasPrefix(".") && !name.hasPrefix("_")
  }

  static func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  /// The name of the note that a record holds; nil: the record is no note.
  static func name(of record: CKRecord) -> String? {
    let name = record.recordID.recordName
    return record.recordType == recordType && isName(name) ? name : nil
  }

  static func text(of record: CKRecord) -> String { record["text"] as? String ?? "" }
}
