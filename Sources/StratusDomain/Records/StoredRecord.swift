public import StratusWire

/// A record or a tombstone in the store.
public struct StoredRecord: Sendable {
  /// The number that index entries use for the record. It is shorter than the name, and newer
  /// records have greater numbers.
  ///
  /// The number is unique in a store. A tombstone keeps its number, and so does a record that is
  /// saved again. 0 means that the store must assign a number.
  public var number: Int64
  public var name: String
  public var type: String
  /// The number of the change in the zone's history that created this state.
  public var change: Int64
  /// The number of times that the record was saved or deleted. A record that replaces a tombstone
  /// continues to count. 0 means that the record was last saved before revisions were counted. Such
  /// a record continues from its change number.
  public var revision: Int64
  /// Whether this is a tombstone. A tombstone has neither a parent nor fields. Its ``modified``
  /// says when and by which user the record was deleted.
  public var isDeleted: Bool
  public var created: Stamp
  public var modified: Stamp
  public var parentRecordName: String?
  public var fields: FieldsJSON
  /// Whether any field holds a file. An answer then differs from the stored text, since download
  /// URLs are added when the record is read.
  public var hasAssets: Bool
  /// Whether the fields hold data of a share, which an answer shows in another form.
  public var hasSharing: Bool

  public init(
    name: String, type: String, change: Int64, isDeleted: Bool, created: Stamp, modified: Stamp,
    parentRecordName: String?, fields: FieldsJSON, hasAssets: Bool = false,
    hasSharing: Bool = false, number: Int64 = 0, revision: Int64 = 0
  ) {
    self.number = number
    self.revision = revision
    self.name = name
    self.type = type
    self.change = change
    self.isDeleted = isDeleted
    self.created = created
    self.modified = modified
    self.parentRecordName = parentRecordName
    self.fields = fields
    self.hasAssets = hasAssets
    self.hasSharing = hasSharing
  }

  /// The version of the record, as clients see it.
  ///
  /// A tag counts only changes of this record. A user must not learn how much other users write.
  ///
  /// NB: the tag of a record without a revision contains its change number, as in earlier releases.
  /// Devices hold such tags.
  public var tag: String {
    RecordChangeTag.text(
      revision: countedRevision, modifiedMilliseconds: modified.timestamp)
  }

  /// The revision of the next state of the record. If the record has no revision, the next one is
  /// greater than the change number in the record's tag, so that no tag is used twice.
  var nextRevision: Int64 { countedRevision + 1 }

  private var countedRevision: Int64 { revision == 0 ? change : revision }

  /// Makes this record the state that follows a stored state.
  mutating func follow(_ stored: StoredRecord, change: Int64) {
    self.change = change
    revision = stored.nextRevision
  }

  /// Returns the tombstone that replaces the record when it is deleted.
  func tombstone(change: Int64, modified: Stamp) -> StoredRecord {
    StoredRecord(
      name: name, type: type, change: change, isDeleted: true, created: created,
      modified: modified, parentRecordName: nil, fields: .empty, number: number,
      revision: nextRevision)
  }
}

// NB: the number is not compared, because it is a storage detail and not part of the record's
// state.
extension StoredRecord: Hashable {
  public static func == (left: StoredRecord, right: StoredRecord) -> Bool {
    left.name == right.name && left.type == right.type && left.change == right.change
      && left.isDeleted == right.isDeleted && left.created == right.created
      && left.modified == right.modified && left.parentRecordName == right.parentRecordName
      && left.fields == right.fields && left.hasAssets == right.hasAssets
      && left.hasSharing == right.hasSharing && left.revision == right.revision
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(change)
  }
}

/// The version of a record. Clients compare versions to find out whether the record has changed.
enum RecordChangeTag {
  /// Returns a text of the revision and the time, both in base 36.
  ///
  /// NB: the revision alone is not enough. After a restore from a backup, in a zone that was
  /// deleted and created again, and after the removal of a tombstone, revisions are used again. A
  /// stale tag could then match another version.
  static func text(revision: Int64, modifiedMilliseconds: Int64) -> String {
    // NB: the text is built without intermediate strings, because every record of an answer has a
    // tag.
    String(unsafeUninitializedCapacity: 32) { bytes in
      var count = write(revision, atLeast: 1, to: bytes, from: 0)
      count = write(modifiedMilliseconds, atLeast: 8, to: bytes, from: count)
      return count
    }
  }

  /// - Returns: the index after the digits.
  private static func write(
    _ number: Int64, atLeast digitsMin: Int, to bytes: UnsafeMutableBufferPointer<UInt8>,
    from start: Int
  ) -> Int {
    // A number has at most 13 digits. A negative number, such as a time before 1970, has 13.
    var rest = UInt64(bitPattern: number)
    var end = start + 1
    while rest >= 36 {
      rest /= 36
      end += 1
    }
    end = max(end, start + digitsMin)
    rest = UInt64(bitPattern: number)
    for index in (start..<end).reversed() {
      let digit = UInt8(rest % 36)
      bytes[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
      rest /= 36
    }
    return end
  }
}
