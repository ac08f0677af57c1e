import Testing

@testable import StratusWire

@Suite struct FieldInputs {
  private func input(_ field: String) throws -> FieldInput {
    try #require(try FieldInput.all(in: parsed(#"{"x":\#(field)}"#)).first)
  }

  @Test(arguments: [
    "{}", "null", #"{"value":null}"#, #"{"value":null,"type":"STRING"}"#,
    #"{"type":"INT64"}"#,
  ])
  func `a field without a value is cleared`(_ field: String) throws {
    let input = try input(field)
    #expect(input.isCleared)
    #expect(try input.decode(schemaType: FieldType(.string)) == nil)
    #expect(try input.decode(schemaType: nil) == nil)
  }

  @Test(arguments: [
    (#""""#, "STRING"), ("0", "INT64"), ("[]", "STRING_LIST"), ("false", "INT64"),
  ]) func `an empty text, zero, an empty list or false does not clear a field`(
    _ value: String, _ type: String
  ) throws {
    let input = try input(#"{"value":\#(value)}"#)
    #expect(!input.isCleared)
    #expect(try input.decode(schemaType: FieldType(name: type)) != nil)
  }

  @Test(arguments: [
    (#""a""#, FieldValue.string("a")), ("3", .int64(3)), ("3.0", .double(3)), ("3.5", .double(3.5)),
    ("true", .int64(1)), ("false", .int64(0)),
    ("12345678901234567890", .double(12_345_678_901_234_567_168)),
    (#"{"latitude":1,"longitude":2}"#, .location(Location(latitude: 1, longitude: 2))),
    (#"{"recordName":"n"}"#, .reference(Reference(recordName: "n"))),
    (#"{"fileChecksum":"a","size":1}"#, .asset(Asset(fileChecksum: "a", size: 1))),
    (#"["a"]"#, .list(.string, [.string("a")])),
    ("[1,2]", .list(.int64, [.int64(1), .int64(2)])),
    ("[1,2.5]", .list(.double, [.double(1), .double(2.5)])),
    ("[2.5,1]", .list(.double, [.double(2.5), .double(1)])),
    (#"[{"recordName":"n"}]"#, .list(.reference, [.reference(Reference(recordName: "n"))])),
  ]) func `without a schema and a type, the JSON value determines the field type`(
    _ json: String, _ value: FieldValue
  ) throws {
    #expect(try input(#"{"value":\#(json)}"#).decode(schemaType: nil) == value)
  }

  @Test(arguments: ["{}", "[[1]]", "[{}]", "[null]", #"{"size":1}"#])
  func `a JSON value without a recognizable type requires a type`(_ json: String) throws {
    let input = try input(#"{"value":\#(json)}"#)
    #expect(
      refusal { try input.decode(schemaType: nil) }
        == "The type of field 'x' cannot be told from its value; send 'type'")
  }

  @Test(arguments: [
    ("3", "DOUBLE", FieldValue.double(3)), ("3", "TIMESTAMP", .timestamp(3)),
    ("3", "INT64", .int64(3)), (#""AQ==""#, "BYTES", .bytes([1])),
    (#""AQ==""#, "STRING", .string("AQ==")),
    ("[1]", "TIMESTAMP_LIST", .list(.timestamp, [.timestamp(1)])),
    ("[]", "LOCATION_LIST", .list(.location, [])), (#""7""#, "INT64", .int64(7)),
    (
      #"{"recordName":"n","latitude":1,"longitude":2}"#, "REFERENCE",
      .reference(Reference(recordName: "n"))
    ),
  ]) func `the schema takes precedence over the JSON value`(
    _ json: String, _ type: String, _ value: FieldValue
  ) throws {
    let schemaType = try #require(FieldType(name: type))
    #expect(try input(#"{"value":\#(json)}"#).decode(schemaType: schemaType) == value)
  }

  @Test(arguments: [
    ("NUMBER_INT64", "INT64", "3", FieldValue.int64(3)),
    ("INT64", "DOUBLE", "3", .double(3)),
    ("INT64_LIST", "DOUBLE_LIST", "[3]", .list(.double, [.double(3)])),
    ("LIST", "STRING_LIST", #"["a"]"#, .list(.string, [.string("a")])),
    ("UNKNOWN_LIST", "INT64_LIST", "[]", .list(.int64, [])),
    ("STRING", "STRING", #""a""#, .string("a")),
  ]) func `a type in the schema takes precedence over an alias in the request`(
    _ declared: String, _ schema: String, _ json: String, _ value: FieldValue
  ) throws {
    let input = try input(#"{"value":\#(json),"type":"\#(declared)"}"#)
    #expect(try input.decode(schemaType: FieldType(name: schema)) == value)
  }

  @Test(arguments: [
    ("STRING", "INT64", #""7""#), ("DOUBLE", "INT64", "3"), ("STRING", "STRING_LIST", #""a""#),
    ("LIST", "STRING", #"["a"]"#), ("INT64", "TIMESTAMP", "3"), ("NONSENSE", "STRING", #""a""#),
    ("INT64_LIST", "DOUBLE", "[3]"), ("INT64", "DOUBLE_LIST", "3"),
    ("INT64", "DOUBLE", "9223372036854775807"), ("INT64_LIST", "DOUBLE_LIST", "[9007199254740993]"),
  ]) func `a type that does not fit the schema's type is refused`(
    _ declared: String, _ schema: String, _ json: String
  ) throws {
    let input = try input(#"{"value":\#(json),"type":"\#(declared)"}"#)
    #expect(
      refusal { try input.decode(schemaType: FieldType(name: schema)) }
        == "invalid attempt to set value type \(declared) for field 'x', defined to be: \(schema)")
  }

  @Test(arguments: [#"{"value":[]}"#, #"{"value":[],"type":"LIST"}"#])
  func `an empty list without a type sets no field type`(_ field: String) throws {
    #expect(try input(field).decode(schemaType: nil) == nil)
    #expect(
      try input(field).decode(schemaType: FieldType(.int64, isList: true)) == .list(.int64, []))
  }

  @Test func `a list of unknown type gets the type of its elements`() throws {
    let list = try input(#"{"value":["a"],"type":"LIST"}"#)
    #expect(try list.decode(schemaType: nil) == .list(.string, [.string("a")]))
  }

  @Test func `the error for an unknown type names the type`() throws {
    let input = try input(#"{"value":"a","type":"NONSENSE"}"#)
    #expect(
      refusal { try input.decode(schemaType: nil) }
        == "Field 'x' has the unsupported type 'NONSENSE'")
  }

  @Test func `fields keep the order of the request, and unknown keys are ignored`() throws {
    let fields = try FieldInput.all(
      in: parsed(#"{"b":{"value":1,"isIndexed":true},"a":{"value":2,"type":"INT64"},"c":null}"#))
    #expect(fields.map(\.name) == ["b", "a", "c"])
    #expect(fields.map(\.declaredType) == [nil, "INT64", nil])
    #expect(try FieldInput.all(in: nil).isEmpty)
  }

  @Test(arguments: ["[]", "1", #""a""#]) func `fields that are not an object are refused`(
    _ json: String
  ) {
    #expect(
      refusal { try FieldInput.all(in: parsed(json)) }
        == "Invalid value for 'fields', expected an object")
  }

  @Test(arguments: ["1", #""a""#, "[]", "true"])
  func `the error for a field that is not a dictionary names the field`(_ json: String) {
    #expect(
      refusal { try FieldInput.all(in: parsed(#"{"title":\#(json)}"#)) }
        == "Field 'title' must be an object with 'value' and 'type'")
  }

  @Test(arguments: [
    #"{"a":{"value":1},"\u0061":{"value":2}}"#,
    #"{"a":{"value":1},"b":{"value":2},"a":{"value":3}}"#,
    #"{"b":{"value":1},"a":{"value":2},"c":{"value":3},"a":{"value":4}}"#,
  ])
  func `a field that appears twice is refused`(_ json: String) {
    #expect(
      refusal { try FieldInput.all(in: parsed(json)) }
        == "Field 'a' appears twice in one record")
  }

  @Test(arguments: [(0, 1), (0, 39), (14, 15), (15, 16), (3, 17), (20, 39)])
  func `a field that appears twice among 40 fields is refused`(_ first: Int, _ second: Int) {
    var names = (0..<40).map { "field\($0)" }
    names[second] = names[first]
    let members = names.map { #""\#($0)":{"value":1}"# }.joined(separator: ",")
    #expect(
      refusal { try FieldInput.all(in: parsed("{\(members)}")) }
        == "Field 'field\(first)' appears twice in one record")
  }

  @Test func `40 fields with different names are accepted`() throws {
    let members = (0..<40).map { #""field\#($0)":{"value":1}"# }.joined(separator: ",")
    #expect(try FieldInput.all(in: parsed("{\(members)}")).count == 40)
  }
}

@Suite struct StoredFields {
  private let stored = FieldsJSON(
    text: Array(#"{"a":{"value":1,"type":"INT64"},"b":{"value":2.50,"type":"DOUBLE"}}"#.utf8))

  private func text(_ fields: FieldsJSON) -> String { String(decoding: fields.text, as: UTF8.self) }

  @Test func `stored fields are encoded in order and decode to the same values`() throws {
    let values: [(key: String, value: FieldValue)] = [
      ("z", .string("é")), ("a", .int64(1)), ("q\"", .list(.double, [])),
    ]
    let fields = FieldsJSON(values)
    #expect(
      text(fields)
        == #"{"z":{"value":"é","type":"STRING"},"a":{"value":1,"type":"INT64"},"#
        + #""q\"":{"value":[],"type":"DOUBLE_LIST"}}"#)
    let back = try fields.values()
    #expect(back.map(\.key) == values.map(\.key))
    #expect(back.map(\.value) == values.map(\.value))
    #expect(text(.empty) == "{}")
  }

  @Test
  func `merging adds, replaces and removes fields, and keeps other fields byte for byte`() throws {
    #expect(
      text(try stored.merging([("a", .string("x")), ("c", .int64(3)), ("d", nil)]))
        == #"{"b":{"value":2.50,"type":"DOUBLE"},"a":{"value":"x","type":"STRING"},"#
        + #""c":{"value":3,"type":"INT64"}}"#)
    #expect(text(try stored.merging([("a", nil)])) == #"{"b":{"value":2.50,"type":"DOUBLE"}}"#)
    #expect(text(try stored.merging([("a", nil), ("b", nil)])) == "{}")
    #expect(try stored.merging([]) == stored)
  }

  @Test func `desired keys select fields, and an empty list selects no field`() throws {
    #expect(try stored.presented(desiredKeys: nil, numbersAsStrings: false) == stored)
    #expect(text(try stored.presented(desiredKeys: [], numbersAsStrings: false)) == "{}")
    #expect(
      text(try stored.presented(desiredKeys: ["b", "x"], numbersAsStrings: false))
        == #"{"b":{"value":2.50,"type":"DOUBLE"}}"#)
  }

  @Test func `numbers in fields become strings on request`() throws {
    #expect(
      text(try stored.presented(desiredKeys: nil, numbersAsStrings: true))
        == #"{"a":{"value":"1","type":"INT64"},"b":{"value":"2.5","type":"DOUBLE"}}"#)
    #expect(
      text(try stored.presented(desiredKeys: ["a"], numbersAsStrings: true))
        == #"{"a":{"value":"1","type":"INT64"}}"#)
  }
}
