public import StratusWire

/// A record, or what is left of a deleted one, as the store keeps it.
public struct StoredRecord: Sendable, Hashable {
  public var name: String
  public var type: String
  /// Its place in the zone's history: the number of the change that made it what it is.
  public var change: Int64
  /// A tombstone: name, type, change and `modified` mean something, the rest does not.
  public var isDeleted: Bool
  public var created: Stamp
  public var modified: Stamp
  public var parentRecordName: String?
  public var fields: FieldsJSON
  /// Whether any field holds a file, so that its text is not what an answer shows: download URLs
  /// are made when it is read.
  public var hasAssets: Bool

  public init(
    name: String, type: String, change: Int64, isDeleted: Bool, created: Stamp, modified: Stamp,
    parentRecordName: String?, fields: FieldsJSON, hasAssets: Bool = false
  ) {
    self.name = name
    self.type = type
    self.change = change
    self.isDeleted = isDeleted
    self.created = created
    self.modified = modified
    self.parentRecordName = parentRecordName
    self.fields = fields
    self.hasAssets = hasAssets
  }

  /// The record's version, as clients see it.
  public var tag: String {
    RecordChangeTag.text(change: change, modifiedMilliseconds: modified.timestamp)
  }

  /// What is left of the record once it is deleted.
  func tombstone(change: Int64, modified: Stamp) -> StoredRecord {
    StoredRecord(
      name: name, type: type, change: change, isDeleted: true, created: created,
      modified: modified, parentRecordName: nil, fields: .empty)
  }
}

/// What clients compare to learn whether a record is the one they know.
enum RecordChangeTag {
  /// Change number and time, both in base 36.
  ///
  /// NB: the number alone would not do. After a restore from a backup, or in a zone that was
  /// deleted and made again, numbers come back, and a stale tag could fit a record it never
  /// belonged to.
  static func text(change: Int64, modifiedMilliseconds: Int64) -> String {
    let time = String(modifiedMilliseconds, radix: 36)
    let padding = String(repeating: "0", count: max(0, 8 - time.count))
    return String(change, radix: 36) + padding + time
  }
}
