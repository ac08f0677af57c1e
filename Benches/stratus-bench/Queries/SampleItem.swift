import StratusWire

/// The records for the queries. The same number always gives the same record.
enum SampleItem {
  static let recordType = "Item"
  static let statuses = 100
  static let codes: UInt64 = 1_000_000
  static let words: UInt64 = 10_000
  /// The south-west corner of the area that contains all locations. The area spans 10 by 10
  /// degrees.
  static let origin = Location(latitude: 45, longitude: 5)

  static func status(_ number: UInt64) -> String { "status-\(number % UInt64(statuses))" }

  static func code(_ number: UInt64) -> String {
    let digits = String(RecordName.scatter(number) % codes)
    return "c" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Returns a location in the area. The same number always gives the same location.
  static func place(_ number: UInt64) -> Location {
    let word = RecordName.scatter(number ^ 0x5EED)
    return Location(
      latitude: origin.latitude + Double(word & 0xFFFF_FFFF) / 0xFFFF_FFFF * 10,
      longitude: origin.longitude + Double(word >> 32) / 0xFFFF_FFFF * 10)
  }

  static func word(_ number: UInt64) -> String { "word\(number % words)" }

  /// Returns the fields of the record with this number.
  static func fields(_ number: UInt64) -> FieldsJSON {
    let word = RecordName.scatter(number ^ 0xF00D)
    let text = [word, word >> 16, word >> 32].map { Self.word($0) }.joined(separator: " ")
    return FieldsJSON([
      ("title", .string("An item among very many others")),
      ("status", .string(status(RecordName.scatter(number ^ 0xACE)))),
      ("rank", .int64(Int64(RecordName.scatter(number ^ 0xBEE) >> 20))),
      ("code", .string(code(number))),
      ("place", .location(place(number))),
      ("text", .string(text)),
    ])
  }
}
