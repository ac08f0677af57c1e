import CloudKit

/// A note: a name and a text. Here it is a file, on the server a record of the same name.
public enum Note {
  static let recordType = "Note"
  /// A zone of this app's own: only a custom zone has change tokens, and other apps of the
  /// container keep out of it.
  static let zoneID = CKRecordZone.ID(zoneName: "NotesSync")
  static let subscriptionID = "notes-sync"

  /// Whether a note can have this name: it must be good for a file and for a record.
  public static func isName(_ name: String) -> Bool {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar != "/" && scalar.properties.generalCategory != .control
    }
    // Swift compares texts by what a reader sees, file systems by their bytes.
    let isComposed = name.utf8.elementsEqual(name.precomposedStringWithCanonicalMapping.utf8)
    return isPlain && isComposed && (1...240).contains(name.utf8.count)
      && !name.hasPrefix(".") && !name.hasPrefix("_")
  }

  static func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  /// The name of the note a record is; nil: it is none.
  static func name(of record: CKRecord) -> String? {
    let name = record.recordID.recordName
    return record.recordType == recordType && isName(name) ? name : nil
  }

  static func text(of record: CKRecord) -> String { record["text"] as? String ?? "" }
}
