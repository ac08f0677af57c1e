import Testing

@testable import StratusWire

/// A date on a device is a number of seconds since 2001 with a fraction. Web clients use whole
/// milliseconds since 1970.
@Suite struct `Times between two milliseconds` {
  private static let seconds = 700_000_000.123_456_7
  private static let field =
    #"{"value":1678307200123,"type":"TIMESTAMP","referenceSeconds":700000000.1234567}"#

  private func time() throws -> Timestamp {
    try #require(Timestamp(referenceSeconds: Self.seconds))
  }

  private func text(_ value: FieldValue, numbersAsStrings: Bool = false) -> String {
    var writer = JSONWriter()
    value.writeField(to: &writer, numbersAsStrings: numbersAsStrings)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test
  func `web clients get a time as whole milliseconds, with the exact seconds beside them`() throws {
    #expect(text(.timestamp(try time())) == Self.field)
    #expect(
      text(.timestamp(try time()), numbersAsStrings: true)
        == #"{"value":"1678307200123","type":"TIMESTAMP","#
        + #""referenceSeconds":"700000000.1234567"}"#)
  }

  @Test func `a time with exact seconds is the same to the last bit after decoding`() throws {
    let read = try FieldValue(storedField: parsed(Self.field))
    #expect(read == .timestamp(try time()))
    #expect(try time().dateReferenceSeconds.bitPattern == Self.seconds.bitPattern)
    let input = try #require(try FieldInput.all(in: parsed(#"{"x":\#(Self.field)}"#)).first)
    #expect(try input.decode(schemaType: nil) == read)
    #expect(try input.decode(schemaType: FieldType(.timestamp)) == read)
    #expect(try FieldInput(read).decode(schemaType: FieldType(.timestamp)) == read)
    #expect(try FieldInput(jsonBytesOf: input).decode(schemaType: nil) == read)
  }

  @Test
  func `the exact seconds of a list are in a list of their own, at the same indexes`() throws {
    let list = FieldValue.list(.timestamp, [.timestamp(5), .timestamp(try time())])
    let text = self.text(list)
    #expect(
      text == #"{"value":[5,1678307200123],"type":"TIMESTAMP_LIST","#
        + #""referenceSeconds":[null,700000000.1234567]}"#)
    #expect(try FieldValue(storedField: parsed(text)) == list)
  }

  @Test func `the timestamp of a location keeps its exact seconds`() throws {
    var place = Location(latitude: 1, longitude: 2)
    place.timestamp = try time()
    #expect(
      written(place) == #"{"latitude":1,"longitude":2,"timestamp":1678307200123,"#
        + #""referenceSeconds":700000000.1234567}"#)
    #expect(try read(Location.self, written(place)) == place)
  }

  @Test(arguments: [
    #"{"value":7,"type":"TIMESTAMP","referenceSeconds":700000000.1234567}"#,
    #"{"value":7,"type":"TIMESTAMP","referenceSeconds":"soon"}"#,
    #"{"value":7,"type":"TIMESTAMP","referenceSeconds":[1]}"#,
    #"{"value":7,"type":"TIMESTAMP","referenceSeconds":1e300}"#,
    #"{"value":7,"type":"TIMESTAMP","referenceSeconds":null}"#,
  ])
  func `exact seconds that are invalid or differ from the milliseconds are ignored`(_ field: String)
    throws
  {
    #expect(try FieldValue(storedField: parsed(field)) == .timestamp(7))
  }

  @Test(
    arguments: [0, 1, -1, 1_767_225_600_123, -62_135_596_800_000, 253_402_300_799_999] as [Int64])
  func `a time of whole milliseconds is encoded without exact seconds`(_ whole: Int64) {
    let time = Timestamp(referenceSeconds: Timestamp(whole).dateReferenceSeconds)
    #expect(time == Timestamp(whole))
    #expect(text(.timestamp(Timestamp(whole))) == #"{"value":\#(whole),"type":"TIMESTAMP"}"#)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300])
  func `a number of seconds outside the range of milliseconds is not a valid time`(
    _ seconds: Double
  ) {
    #expect(Timestamp(referenceSeconds: seconds) == nil)
  }

  @Test
  func `a sealed time keeps its exact seconds, and earlier sealed times still decode`() throws {
    let type = FieldType(.timestamp)
    for value in [FieldValue.timestamp(try time()), .timestamp(5)] {
      #expect(try FieldValue(valueJSON: JSONView(parsing: value.valueJSON), type: type) == value)
    }
    #expect(try FieldValue(valueJSON: parsed("1500"), type: type) == .timestamp(1_500))
  }
}

extension FieldInput {
  /// Decodes a field again from its JSON bytes.
  fileprivate init(jsonBytesOf input: FieldInput) throws {
    try self.init(field: JSONView(parsing: input.jsonBytes), name: input.name)
  }
}
