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
    var rest = text.utf8[...]
    while !rest.isEmpty {
      guard let records = Self.number(&rest), let recordBytes = Self.number(&rest),
        let assetBytes = Self.number(&rest)
      else { throw .fault("the recent usage of a zone cannot be read") }
      let type = rest.prefix { $0 != Self.newline }
      types[String(Substring(type))] = Usage(
        records: records, recordBytes: recordBytes, assetBytes: assetBytes)
      rest = rest.dropFirst(type.count + 1)
    }
  }

  /// Takes a number and the space after it from the beginning of a text.
  private static func number(_ rest: inout Substring.UTF8View) -> Int64? {
    let digits = rest.prefix { $0 != UInt8(ascii: " ") }
    guard digits.endIndex < rest.endIndex else { return nil }
    rest = rest.dropFirst(digits.count + 1)
    return Int64(Substring(digits))
  }

  mutating func add(_ usage: Usage, of type: String) {
    types[type, default: Usage()] += usage
    if types[type]?.isZero == true { types[type] = nil }
  }

  /// The text for the zone's row, or nil if the changes must move to the table `usage`.
  var shortText: String? {
    var text = ""
    for (type, usage) in types.count > 1 ? types.sorted(by: { $0.key < $1.key }) : Array(types) {
      if type.isEmpty || type.utf8.contains(Self.newline) { return nil }
      if !text.isEmpty { text += "\n" }
      for number in [usage.records, usage.recordBytes, usage.assetBytes] {
        text += String(number)
        text += " "
      }
      text += type
    }
    return text.utf8.count <= Self.bytesMax ? text : nil
  }

  private static let newline = UInt8(ascii: "\n")
}
