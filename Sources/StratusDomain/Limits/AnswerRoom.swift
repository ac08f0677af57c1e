import StratusWire

/// Counts the bytes of the records in an answer, so that none is larger than
/// ``Limits/answerSizeBytesMax``.
struct AnswerRoom: Sendable {
  private var usedBytes = 0
  /// Whether a record did not fit: then no more are read.
  private(set) var isFull = false

  private static let sizeBytesMax = Limits.answerSizeBytesMax - Limits.answerReserveBytes

  /// Takes room for a record. The first one always fits.
  ///
  /// - Returns: whether there was room for it.
  mutating func take(_ sizeBytes: Int) -> Bool {
    if isFull { return false }
    if usedBytes > 0, usedBytes + sizeBytes > Self.sizeBytesMax {
      isFull = true
      return false
    }
    usedBytes += sizeBytes
    return true
  }

  /// Takes room for an item of a feed.
  mutating func take(_ item: RecordItem) -> Bool {
    switch item {
    case .record(let record): take(Self.sizeBytesMax(of: record))
    case .deleted, .failure: take(4_096)
    }
  }

  /// Bytes that a record has in an answer, at most.
  ///
  /// NB: presented fields can be longer than stored ones: each number may get quotes, and each file
  /// gets a URL.
  static func sizeBytesMax(of record: StoredRecord, selection: FieldSelection = .all) -> Int {
    let text = record.fields.text.count
    var size = headBytes(of: record) + text
    if selection.numbersAsStrings { size += text }
    if record.hasAssets {
      size += min(text * urlsPerText, Limits.assetsPerRecordMax * urlBytesMax)
    }
    return size
  }

  /// Bytes of a record in an answer, at most, once its fields are as they are shown.
  static func sizeBytesMax(of record: RecordDictionary) -> Int {
    record.fields.text.count + headBytes(of: record.created) + headBytes(of: record.modified)
  }

  private static func headBytes(of record: StoredRecord) -> Int {
    headBytes(of: record.created) + headBytes(of: record.modified)
  }

  /// The members beside the fields have four names of 255 characters and a device's name, in which
  /// a byte may be escaped by six.
  private static func headBytes(of stamp: Stamp) -> Int {
    2_048 + 6 * stamp.deviceID.utf8.count
  }

  /// Bytes of a download URL, at most.
  private static let urlBytesMax = 1_024
  /// The URL of a file compared with its stored text, which has 75 bytes at least.
  private static let urlsPerText = 14
}
