import StratusDomain

/// The most recent changes to the usage of a zone, by record type.
///
/// The changes are in a column of the zone's row, which each save writes anyway. They move to the
/// table `usage` when the text becomes long. Counting therefore usually needs no statement of its
/// own.
struct RecentUsage {
  /// The length at which the changes move to the table `usage`. Choice: each save reads and writes
  /// the text, so it must be short compared with the row. Ten to twenty record types fit.
  private static let bytesMax = 512

  private(set) var types: [String: Usage] = [:]

  init() {}

  /// - Parameter text: for each record type a line with the number of records, the bytes of the
  ///   records, the bytes of their files, and the name of the type.
  /// - Throws: `INTERNAL_ERROR` if the text has another format.
  init(_ text: String) throws(ServerError) {
    for line in text.utf8.split(separator: Self.newline) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 3).map { Substring($0) }
      guard parts.count == 4, let records = Int64(parts[0]), let recordBytes = Int64(parts[1]),
        let assetBytes = Int64(parts[2])
      else { throw .fault("the recent usage of a zone cannot be read") }
      types[String(parts[3])] = Usage(
        records: records, recordBytes: recordBytes, assetBytes: assetBytes)
    }
  }

  mutating func add(_ usage: Usage, of type: String) {
    types[type, default: Usage()] += usage
    if types[type]?.isZero == true { types[type] = nil }
  }

  var text: String {
    types.map { type, usage in
      "\(usage.records) \(usage.recordBytes) \(usage.assetBytes) \(type)"
    }.sorted().joined(separator: "\n")
  }

  /// Whether the changes can stay in the zone's row.
  var isShort: Bool {
    text.utf8.count <= Self.bytesMax
      && !types.keys.contains { $0.isEmpty || $0.utf8.contains(Self.newline) }
  }

  private static let newline = UInt8(ascii: "\n")
}
