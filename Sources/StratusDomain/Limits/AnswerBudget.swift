import StratusWire

/// Counts the bytes of the records in an answer, so that no answer is larger than
/// ``Limits/answerSizeBytesMax``.
struct AnswerBudget: Sendable {
  private var usedBytes = 0
  /// Whether a record did not fit. If so, no more records are read.
  private(set) var isFull = false

  private static let sizeBytesMax = Limits.answerSizeBytesMax - Limits.answerReserveBytes

  /// Reserves capacity for a record. The first record always fits.
  ///
  /// - Returns: whether the record fits. After a record that did not fit, no further record fits.
  mutating func take(_ sizeBytes: Int) -> Bool {
    if isFull { return false }
    if usedBytes > 0, usedBytes + sizeBytes > Self.sizeBytesMax {
      isFull = true
      return false
    }
    usedBytes += sizeBytes
    return true
  }

  /// Reserves capacity for an item of a change feed.
  mutating func take(_ item: RecordItem) -> Bool {
    switch item {
    case .record(let record): take(Self.sizeBytesMax(of: record))
    case .deleted, .failure: take(4_096)
    }
  }

  /// The maximum size of a record in an answer, in bytes.
  ///
  /// NB: the fields in an answer can be longer than the stored fields. Each number may get quotes,
  /// and each file gets a URL.
  static func sizeBytesMax(of record: StoredRecord, selection: FieldSelection = .all) -> Int {
    let text = record.fields.text.count
    var size = headBytes(of: record) + text
    if selection.numbersAsStrings { size += text }
    if record.hasAssets {
      size += min(text * urlsPerText, Limits.assetsPerRecordMax * urlBytesMax)
    }
    return size
  }

  /// The maximum size in bytes of a record whose fields are already encoded as in the answer.
  static func sizeBytesMax(of record: RecordDictionary) -> Int {
    record.fields.text.count + headBytes(of: record.created) + headBytes(of: record.modified)
      + (record.sharing.map { share in
        let people = share.participants.count + share.requesters.count + share.blocked.count
        return (people + 2) * participantBytesMax
      } ?? 0)
  }

  private static func headBytes(of record: StoredRecord) -> Int {
    headBytes(of: record.created) + headBytes(of: record.modified)
  }

  /// The part of a record's maximum size for one of its two stamps. The constant is half of the
  /// space for the record's four names of 255 characters. Names have no control characters, so a
  /// character needs at most three bytes. A device ID may have control characters, and escaping
  /// turns such a byte into six bytes.
  private static func headBytes(of stamp: Stamp) -> Int {
    2_048 + 6 * stamp.deviceID.utf8.count
  }

  /// The maximum size of a participant in bytes. A participant has up to three names of 255
  /// characters.
  private static let participantBytesMax = 6_144
  /// The maximum size of a download URL in bytes.
  static let urlBytesMax = 1_024
  /// The maximum ratio of a URL's size to the size of the asset's stored text, which has at least
  /// 75 bytes.
  private static let urlsPerText = 14
}
