import StratusWire

/// Counts the values of one record, and says whether the record has more values than allowed.
struct RecordBounds {
  private var assets = 0
  private var listed = 0
  /// An upper bound of the number of words. A word and its separator take at least two bytes.
  private var wordsMax = 0
  private var hasLongList = false

  /// Counts the value of one written field.
  mutating func add(_ value: FieldValue) {
    switch value {
    case .asset: assets += 1
    case .string(let text): wordsMax += min(text.utf8.count / 2, Limits.wordsPerFieldMax)
    case .list(let element, let members):
      if members.count > Limits.listValuesMax { hasLongList = true }
      if element == .asset { assets += members.count } else { listed += members.count }
    case .int64, .double, .timestamp, .bytes, .location, .reference, .sealed: break
    }
  }

  /// Whether one list has too many values, the record has too many assets, or all lists and texts
  /// together have too many values and words.
  ///
  /// - Parameter values: the values that were counted. They are read only if the texts are so long
  ///   that their words must be counted exactly.
  func areExceeded(by values: some Sequence<FieldValue>) -> Bool {
    if hasLongList || assets > Limits.assetsPerRecordMax { return true }
    if listed > Limits.indexEntriesPerRecordMax { return true }
    if listed + wordsMax <= Limits.indexEntriesPerRecordMax { return false }
    var words = 0
    for case .string(let text) in values where text.utf8.count > 2 {
      words += Tokens.of(text).count
      if listed + words > Limits.indexEntriesPerRecordMax { return true }
    }
    return false
  }

  /// - Parameter values: the written fields. A value of nil clears its field.
  /// - Throws: `BAD_REQUEST` if the record has more values than allowed.
  static func check(_ values: [(key: String, value: FieldValue?)]) throws(ServerError) {
    var bounds = RecordBounds()
    for case (_, let value?) in values { bounds.add(value) }
    guard !bounds.areExceeded(by: values.lazy.compactMap(\.value)) else {
      throw .badRequest(Reason.recordTooManyEntries)
    }
  }
}

/// Counts the work that a batch causes in its write transaction, and refuses the batch before other
/// writers wait too long.
struct WriterBudget {
  private(set) var steps = 0
  private var entries = 0
  private var records = 0

  /// The number of steps to find and write one index entry.
  private static let stepsPerEntry = 5
  /// The number of bytes of a record that one step reads, decodes and writes.
  private static let bytesPerStep = 128

  /// Charges the change of a record, once its derived rows are known.
  ///
  /// - Parameters:
  ///   - rows: the rows of this record and of the records before it in the batch.
  ///   - addedBefore: the number of added index entries in `rows` before this record was noted
  ///     there.
  /// - Throws: `BAD_REQUEST` if the record has too many entries, or if the batch causes too much
  ///   work. The work of the first record is never a reason to refuse it.
  mutating func charge(
    _ new: StoredRecord, replacing old: StoredRecord?, rows: RowChanges, addedBefore: Int
  ) throws(ServerError) {
    let added = rows.added.entries.count
    guard added - addedBefore <= Limits.indexEntriesPerRecordMax else {
      throw .badRequest(Reason.recordTooManyEntries)
    }
    let all = added + rows.removed.entries.count
    let bytes = new.fields.text.count + (old?.fields.text.count ?? 0)
    steps += (all - entries) * Self.stepsPerEntry + bytes / Self.bytesPerStep
    entries = all
    records += 1
    guard records == 1 || steps <= Limits.writerStepsMax else {
      throw .badRequest(Reason.batchTooMuchWork)
    }
  }
}
