import StratusWire

/// The capacity of one cascade transaction: the records and bytes that it may still load.
struct CascadeBudget: Sendable {
  var records = Limits.cascadeStepMax
  /// The number of bytes of fields after which a transaction ends early.
  var sizeBytes = Limits.cascadeStepSizeBytesMax

  var isEmpty: Bool { records <= 0 || sizeBytes <= 0 }

  /// The number of records that are loaded at once, whatever their size, so that each transaction
  /// makes progress.
  static let recordsPerLoad = 20

  /// The end of a share counts as this number of bytes, because it is as much work as the deletion
  /// of a large record.
  static let bytesPerShare =
    Limits.cascadeStepSizeBytesMax / Limits.sharesChangedPerRequestMax
}

extension RecordReading {
  /// Loads live records in the order of `names`, and subtracts their sizes from `sizeBytes`.
  /// Loading ends when `sizeBytes` reaches 0.
  ///
  /// - Returns: the records, and the number of names that were looked up, which is at least one
  ///   unless there are no names.
  func records(
    firstOf names: [String], in zone: StoredZone, takingFrom sizeBytes: inout Int
  ) throws(ServerError) -> (found: [ExactName: StoredRecord], count: Int) {
    var found: [ExactName: StoredRecord] = [:]
    var count = 0
    repeat {
      let end = min(count + CascadeBudget.recordsPerLoad, names.count)
      let part = try records(named: Array(names[count..<end]), in: zone)
      for record in part.values {
        sizeBytes -= record.fields.text.count
        if record.hasSharing { sizeBytes -= CascadeBudget.bytesPerShare }
      }
      found.merge(part) { first, _ in first }
      count = end
    } while count < names.count && sizeBytes > 0
    return (found, count)
  }
}
