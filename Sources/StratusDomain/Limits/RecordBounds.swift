import StratusWire

/// The limits for the number of values in one record.
enum RecordBounds {
  /// - Parameter values: the written fields. A value of nil clears its field.
  /// - Throws: `BAD_REQUEST` if one list has too many values, if the record has too many assets, or
  ///   if all lists and texts together have too many values and words.
  static func check(
    _ values: some Sequence<(key: String, value: FieldValue?)>
  ) throws(ServerError) {
    var assets = 0
    var listed = 0
    // An upper bound of the number of words. A word and its separator take at least two bytes.
    var wordsMax = 0
    for (_, value) in values {
      switch value {
      case .asset: assets += 1
      case .string(let text): wordsMax += min(text.utf8.count / 2, Limits.wordsPerFieldMax)
      case .list(let element, let members):
        guard members.count <= Limits.listValuesMax else { throw tooMany }
        if element == .asset { assets += members.count } else { listed += members.count }
      case .int64, .double, .timestamp, .bytes, .location, .reference, .sealed, nil: break
      }
    }
    guard assets <= Limits.assetsPerRecordMax, listed <= Limits.indexEntriesPerRecordMax else {
      throw tooMany
    }
    // Most texts are so short that their words need not be counted.
    if listed + wordsMax <= Limits.indexEntriesPerRecordMax { return }
    var words = 0
    for case (_, .string(let text)?) in values where text.utf8.count > 2 {
      words += Tokens.of(text).count
      guard listed + words <= Limits.indexEntriesPerRecordMax else { throw tooMany }
    }
  }

  private static let tooMany = ServerError.badRequest(Reason.recordTooManyEntries)
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
  /// - Parameter rows: the rows of this record and of the records before it in the batch.
  /// - Throws: `BAD_REQUEST` if the record has too many entries, or if the batch causes too much
  ///   work. The first record is never refused because of its work.
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
