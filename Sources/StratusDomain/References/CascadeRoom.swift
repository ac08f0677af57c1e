import StratusWire

/// How much one transaction of a cascade may still load.
struct CascadeRoom: Sendable {
  var records = Limits.cascadeStepMax
  /// Bytes of fields, after which a transaction ends with what it has.
  var sizeBytes = Limits.cascadeStepSizeBytesMax

  var isEmpty: Bool { records <= 0 || sizeBytes <= 0 }

  /// Records that are loaded at once, whatever their size, so that each transaction gets on.
  static let recordsPerLoad = 20
}

extension RecordReading {
  /// The live records of the first of some names, as far as bytes reach, which are taken off.
  ///
  /// - Returns: also how many of the names were looked for: one at least if there is any.
  func records(
    firstOf names: [String], in zone: StoredZone, takingFrom sizeBytes: inout Int
  ) throws(ServerError) -> (found: [ExactName: StoredRecord], count: Int) {
    var found: [ExactName: StoredRecord] = [:]
    var count = 0
    repeat {
      let end = min(count + CascadeRoom.recordsPerLoad, names.count)
      let part = try records(named: Array(names[count..<end]), in: zone)
      for record in part.values { sizeBytes -= record.fields.text.count }
      found.merge(part) { first, _ in first }
      count = end
    } while count < names.count && sizeBytes > 0
    return (found, count)
  }
}
