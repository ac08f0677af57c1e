public import StratusWire

/// A record, or what is left of a deleted one, as the store keeps it.
public struct StoredRecord: Sendable {
  /// What index entries call it by: shorter than its name, and the newer, the greater.
  ///
  /// No two records of a store have the same; a tombstone keeps it, and so does the record that
  /// is known when it is saved again. 0: the store is to give it one.
  public var number: Int64
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
    parentRecordName: String?, fields: FieldsJSON, hasAssets: Bool = false,
    number: Int64 = 0
  ) {
    self.number = number
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
      modified: modified, parentRecordName: nil, fields: .empty, number: number)
  }
}

// NB: without the number, which says where a record lies and not what it is.
extension StoredRecord: Hashable {
  public static func == (left: StoredRecord, right: StoredRecord) -> Bool {
    left.name == right.name && left.type == right.type && left.change == right.change
      && left.isDeleted == right.isDeleted && left.created == right.created
      && left.modified == right.modified && left.parentRecordName == right.parentRecordName
      && left.fields == right.fields && left.hasAssets == right.hasAssets
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(change)
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
    // NB: one string without parts: every record of every answer has a tag.
    String(unsafeUninitializedCapacity: 32) { bytes in
      var count = write(change, atLeast: 1, to: bytes, from: 0)
      count = write(modifiedMilliseconds, atLeast: 8, to: bytes, from: count)
      return count
    }
  }

  /// - Returns: the place behind the digits.
  private static func write(
    _ number: Int64, atLeast digitsMin: Int, to bytes: UnsafeMutableBufferPointer<UInt8>,
    from start: Int
  ) -> Int {
    // At most 13 digits, of a time before 1970.
    var rest = UInt64(bitPattern: number)
    var end = start + 1
    while rest >= 36 {
      rest /= 36
      end += 1
    }
    end = max(end, start + digitsMin)
    rest = UInt64(bitPattern: number)
    for place in (start..<end).reversed() {
      let digit = UInt8(rest % 36)
      bytes[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
      rest /= 36
    }
    return end
  }
}
