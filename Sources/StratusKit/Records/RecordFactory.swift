import StratusArchive
import StratusWire

/// Decides which class represents a record. The record comes from the server or from an archive, or
/// is a copy of another record.
///
/// NB: a share is a record of the type `CKRecord.SystemType.share`. Only `RecordFactory` decides
/// which class such a record has, and which name the class has in archives.
enum RecordFactory {
  /// The classes of records, with their names in Apple's archives.
  ///
  /// The unarchiver makes an object of the class that the archive names.
  static let archivedClasses: [(ArchiveName, AnyClass)] = [
    (.record, CKRecord.self), (.share, CKShare.self),
  ]

  /// Makes a record with this state.
  static func record(_ state: RecordState) -> CKRecord {
    state.sharing == nil ? CKRecord(state: state) : CKShare(sharedState: state)
  }

  /// Makes a record from a response.
  ///
  /// - Throws: `CKError.internalError` if the fields do not have the server's format.
  static func record(
    wire: RecordDictionary, naming: UserNaming
  ) throws(CKError) -> CKRecord {
    record(try RecordState(wire: wire, naming: naming))
  }
}
