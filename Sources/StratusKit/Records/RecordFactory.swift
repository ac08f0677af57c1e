import StratusWire

/// The one place that decides which class stands for a record that comes from the server, from an
/// archive, or from another record.
///
/// NB: a share is a record of the type `CKRecord.SystemType.share`. Its class, and the class's name
/// in archives, belong here and nowhere else.
enum RecordFactory {
  /// The classes of records, with their names in Apple's archives.
  ///
  /// The unarchiver makes a record of the class whose name the archive gives.
  static let archivedClasses: [(String, AnyClass)] = [("CKRecord", CKRecord.self)]

  /// The record that holds this.
  static func record(_ state: RecordState) -> CKRecord { CKRecord(state: state) }

  /// A record from an answer.
  ///
  /// - Throws: `CKError.internalError` if its fields are not as the server writes them.
  static func record(
    wire: RecordDictionary, naming: UserNaming
  ) throws(CKError) -> CKRecord {
    record(try RecordState(wire: wire, naming: naming))
  }
}
