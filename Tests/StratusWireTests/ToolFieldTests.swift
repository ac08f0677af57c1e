import Testing

@testable import StratusWire

/// The JSON format of cktool.
@Suite struct ToolFields {
  private static func time(_ text: String) -> Timestamp? {
    text == "2026-01-31" ? Timestamp(1_769_817_600_000) : nil
  }

  private func fields(_ text: String) throws -> [(name: String, field: ToolField)] {
    try ToolField.fields(json: try JSONView(parsing: Array(text.utf8)), time: Self.time)
  }

  @Test func `the cktool name of every field type decodes to the same type`() {
    for element in FieldType.Element.allCases {
      for isList in [false, true] {
        let type = FieldType(element, isList: isList)
        #expect(ToolField.type(named: ToolField.typeName(of: type)) == type)
      }
    }
    #expect(ToolField.typeName(of: FieldType(.asset, isList: true)) == "assetListType")
    #expect(ToolField.type(named: "STRING") == nil)
  }

  @Test(arguments: [
    (#"{"type":"stringType","value":"a"}"#, ToolField.value(.string("a"))),
    (#"{"type":"int64Type","value":-3}"#, .value(.int64(-3))),
    (#"{"type":"doubleType","value":2}"#, .value(.double(2))),
    (#"{"type":"timestampType","value":"2026-01-31"}"#, .value(.timestamp(1_769_817_600_000))),
    (#"{"type":"bytesType","value":"AQI="}"#, .value(.bytes([1, 2]))),
    (
      #"{"type":"locationType","value":{"latitude":1.5,"longitude":2}}"#,
      .value(.location(Location(latitude: 1.5, longitude: 2)))
    ),
    (
      #"{"type":"stringListType","value":["a","b"]}"#,
      .value(.list(.string, [.string("a"), .string("b")]))
    ),
    (#"{"type":"assetType","value":"KEY"}"#, .files(keys: ["KEY"], isList: false)),
    (#"{"type":"assetListType","value":["A","B"]}"#, .files(keys: ["A", "B"], isList: true)),
  ])
  func `a field in cktool's format is read with its type and value`(
    _ text: String, _ expected: ToolField
  ) throws {
    let read = try fields(#"{"f":\#(text)}"#)
    #expect(read.map(\.name) == ["f"])
    #expect(read.first?.field == expected)
  }

  @Test(arguments: [
    ("[]", "the fields must be a JSON object"),
    (#"{"f":1}"#, #"the field 'f' must be {"type": "stringType", "value": …}"#),
    (#"{"f":{"value":1}}"#, #"the field 'f' must be {"type": "stringType", "value": …}"#),
    (#"{"f":{"type":"stringListType","value":1}}"#, "the value of the field 'f' must be an array"),
    (
      #"{"f":{"type":"assetType","value":1}}"#,
      "the file of the field 'f' must be a key of --asset-files"
    ),
  ])
  func `the error for a malformed cktool field is one sentence`(_ text: String, _ reason: String) {
    let error = #expect(throws: WireError.self) { try fields(text) }
    #expect(error?.reason == reason)
  }

  @Test func `a record in cktool's format has its types and times as texts`() throws {
    let stamp = Stamp(timestamp: 1_769_817_600_123, userRecordName: "_u", deviceID: "d")
    let record = RecordDictionary(
      recordName: "n", recordType: "Note",
      fields: FieldsJSON([
        ("at", .timestamp(0)), ("tags", .list(.int64, [.int64(1), .int64(2)])),
      ]), recordChangeTag: "1", created: stamp, modified: stamp,
      zoneID: ZoneID(zoneName: "_defaultZone"))
    #expect(
      String(decoding: ToolRecord(record).jsonBytes, as: UTF8.self) == """
        {"recordName":"n","recordType":"Note","recordChangeTag":"1","zoneName":"_defaultZone",\
        "created":{"timestamp":"2026-01-31T00:00:00.123Z","userRecordName":"_u"},\
        "modified":{"timestamp":"2026-01-31T00:00:00.123Z","userRecordName":"_u"},\
        "fields":{"at":{"type":"timestampType","value":"1970-01-01T00:00:00.000Z"},\
        "tags":{"type":"int64ListType","value":[1,2]}}}
        """)
  }

  @Test func `times before 1970 and on leap days are written correctly`() {
    #expect(ToolTime.text(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
    #expect(ToolTime.text(milliseconds: 951_782_400_000) == "2000-02-29T00:00:00.000Z")
    #expect(ToolTime.date(20_056) == "2024-11-29")
  }
}
