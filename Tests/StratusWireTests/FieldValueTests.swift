import Testing

@testable import StratusWire

@Suite struct FieldValues {
  /// Each documented type: a value, its field dictionary, and the same dictionary with numbers as
  /// strings.
  static let dictionaries: [(FieldValue, String, String?)] = [
    (.string("Milk \"x\""), #"{"value":"Milk \"x\"","type":"STRING"}"#, nil),
    (.int64(-7), #"{"value":-7,"type":"INT64"}"#, #"{"value":"-7","type":"INT64"}"#),
    (
      .int64(.max), #"{"value":9223372036854775807,"type":"INT64"}"#,
      #"{"value":"9223372036854775807","type":"INT64"}"#
    ),
    (.double(1.5), #"{"value":1.5,"type":"DOUBLE"}"#, #"{"value":"1.5","type":"DOUBLE"}"#),
    (.double(3), #"{"value":3,"type":"DOUBLE"}"#, #"{"value":"3","type":"DOUBLE"}"#),
    (
      .timestamp(1_767_225_600_000), #"{"value":1767225600000,"type":"TIMESTAMP"}"#,
      #"{"value":"1767225600000","type":"TIMESTAMP"}"#
    ),
    (.bytes([0, 0xFB, 0xFF]), #"{"value":"APv/","type":"BYTES"}"#, nil),
    (.bytes([]), #"{"value":"","type":"BYTES"}"#, nil),
    (.bytes([1]), #"{"value":"AQ==","type":"BYTES"}"#, nil),
    (
      .location(Location(latitude: 60.17, longitude: -24.94)),
      #"{"value":{"latitude":60.17,"longitude":-24.94},"type":"LOCATION"}"#, nil
    ),
    (
      .reference(
        Reference(
          recordName: "n-1", zoneID: ZoneID(zoneName: "Work", ownerRecordName: "_a"),
          action: .deleteSelf)),
      #"{"value":{"recordName":"n-1","zoneID":{"zoneName":"Work","ownerRecordName":"_a","#
        + #""zoneType":"REGULAR_CUSTOM_ZONE"},"action":"DELETE_SELF"},"type":"REFERENCE"}"#, nil
    ),
    (
      .reference(Reference(recordName: "n-2")),
      #"{"value":{"recordName":"n-2","action":"NONE"},"type":"REFERENCE"}"#, nil
    ),
    (
      .list(.string, [.string("a"), .string("b")]),
      #"{"value":["a","b"],"type":"STRING_LIST"}"#, nil
    ),
    (.list(.string, []), #"{"value":[],"type":"STRING_LIST"}"#, nil),
    (
      .list(.int64, [.int64(1), .int64(2)]), #"{"value":[1,2],"type":"INT64_LIST"}"#,
      #"{"value":["1","2"],"type":"INT64_LIST"}"#
    ),
    (
      .list(.double, [.double(0.5)]), #"{"value":[0.5],"type":"DOUBLE_LIST"}"#,
      #"{"value":["0.5"],"type":"DOUBLE_LIST"}"#
    ),
    (
      .list(.timestamp, [.timestamp(1)]), #"{"value":[1],"type":"TIMESTAMP_LIST"}"#,
      #"{"value":["1"],"type":"TIMESTAMP_LIST"}"#
    ),
    (.list(.bytes, [.bytes([1])]), #"{"value":["AQ=="],"type":"BYTES_LIST"}"#, nil),
    (
      .list(.location, [.location(Location(latitude: 1, longitude: 2))]),
      #"{"value":[{"latitude":1,"longitude":2}],"type":"LOCATION_LIST"}"#, nil
    ),
    (
      .list(.reference, [.reference(Reference(recordName: "n", action: .validate))]),
      #"{"value":[{"recordName":"n","action":"VALIDATE"}],"type":"REFERENCE_LIST"}"#, nil
    ),
  ]

  private func text(_ value: FieldValue, numbersAsStrings: Bool) -> String {
    var writer = JSONWriter()
    value.writeField(to: &writer, numbersAsStrings: numbersAsStrings)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(arguments: dictionaries)
  func `a value is encoded with its type and decodes to the same value`(
    _ value: FieldValue, _ plain: String, _ strings: String?
  ) throws {
    #expect(text(value, numbersAsStrings: false) == plain)
    #expect(text(value, numbersAsStrings: true) == strings ?? plain)
    #expect(try FieldValue(storedField: parsed(plain)) == value)
    #expect(try FieldValue(storedField: parsed(strings ?? plain)) == value)
  }

  @Test func `a location keeps all its properties in decoding and encoding`() throws {
    let text =
      #"{"latitude":-90,"longitude":180,"horizontalAccuracy":5.5,"verticalAccuracy":-1,"#
      + #""altitude":8848.86,"speed":0.1,"course":359,"timestamp":1767225600000}"#
    let location = try read(Location.self, text)
    #expect(location.latitude == -90)
    #expect(location.longitude == 180)
    #expect(location.horizontalAccuracy == 5.5)
    #expect(location.verticalAccuracy == -1)
    #expect(location.altitude == 8848.86)
    #expect(location.speed == 0.1)
    #expect(location.course == 359)
    #expect(location.timestamp == 1_767_225_600_000)
    #expect(written(location) == text)
  }

  @Test(arguments: [
    ("STRING", "1"), ("STRING", "[]"), ("STRING", "{}"), ("STRING", "true"),
    ("INT64", "1.5"), ("INT64", "\"x\""), ("INT64", "9223372036854775808"), ("INT64", "[]"),
    ("INT64", "\"true\""), ("DOUBLE", "\"x\""), ("DOUBLE", "1e400"), ("DOUBLE", "true"),
    ("DOUBLE", "{}"), ("TIMESTAMP", "1.5"), ("TIMESTAMP", "true"), ("TIMESTAMP", "\"1.5\""),
    ("TIMESTAMP", "\"2026-01-01\""), ("BYTES", "\"AQ\""), ("BYTES", "\"*\""), ("BYTES", "1"),
    ("BYTES", "\"-_8=\""), ("LOCATION", "{}"), ("LOCATION", "{\"latitude\":1}"),
    ("LOCATION", "{\"latitude\":90.1,\"longitude\":0}"),
    ("LOCATION", "{\"latitude\":0,\"longitude\":-180.5}"),
    ("LOCATION", "{\"latitude\":0,\"longitude\":0,\"altitude\":\"high\"}"),
    ("LOCATION", "{\"latitude\":0,\"longitude\":0,\"timestamp\":1.5}"), ("LOCATION", "\"here\""),
    ("REFERENCE", "{}"), ("REFERENCE", "\"n-1\""), ("REFERENCE", "{\"recordName\":\"\"}"),
    ("REFERENCE", "{\"recordName\":1}"), ("STRING_LIST", "\"a\""), ("STRING_LIST", "{}"),
    ("STRING_LIST", "[\"a\",1]"), ("INT64_LIST", "[1,2.5]"), ("INT64_LIST", "[null]"),
    ("STRING_LIST", "[[\"a\"]]"),
  ]) func `the error for a value of another type has Apple's text`(_ name: String, _ value: String)
    throws
  {
    let type = try #require(FieldType(name: name))
    let reason = refusal { try FieldValue(json: parsed(value), type: type) }
    let element = name.hasSuffix("_LIST") && value.hasPrefix("[") ? String(name.dropLast(5)) : name
    #expect(reason == "Invalid value, expected type \(element).")
  }

  @Test(arguments: [
    ("DOUBLE", "3", FieldValue.double(3)), ("DOUBLE", "\"2.5\"", .double(2.5)),
    ("INT64", "3.0", .int64(3)), ("INT64", "true", .int64(1)), ("INT64", "false", .int64(0)),
    ("INT64", "\"7\"", .int64(7)), ("INT64", "9007199254740993.0", .int64(9_007_199_254_740_993)),
    ("TIMESTAMP", "1000.0", .timestamp(1_000)),
    ("TIMESTAMP", "-1", .timestamp(-1)), ("TIMESTAMP", "\"5\"", .timestamp(5)),
    ("DOUBLE_LIST", "[1,2.5]", .list(.double, [.double(1), .double(2.5)])),
  ]) func `a number is converted if no precision is lost`(
    _ name: String, _ text: String, _ value: FieldValue
  ) throws {
    let type = try #require(FieldType(name: name))
    #expect(try FieldValue(json: parsed(text), type: type) == value)
  }

  @Test(arguments: ["\"none\"", "\"DELETE\"", "5", "{}"])
  func `a reference with an unknown action is refused`(_ action: String) {
    let reason = refusal {
      try read(Reference.self, #"{"recordName":"n","action":\#(action)}"#)
    }
    #expect(reason == "Invalid value for 'action', expected NONE, DELETE_SELF or VALIDATE")
  }

  @Test func `a reference whose action is absent or null has the action NONE`() throws {
    #expect(try read(Reference.self, #"{"recordName":"n"}"#).action == .none)
    #expect(try read(Reference.self, #"{"recordName":"n","action":null}"#).action == .none)
  }
}

@Suite struct FieldTypes {
  @Test(arguments: [
    "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "LOCATION", "REFERENCE",
  ]) func `a documented type name is decoded and encoded, alone and as a list`(_ name: String)
    throws
  {
    let single = try #require(FieldType(name: name))
    let list = try #require(FieldType(name: name + "_LIST"))
    #expect((single.name, single.isList) == (name, false))
    #expect((list.name, list.isList) == (name + "_LIST", true))
    #expect(list.element == single.element)
  }

  @Test func `the type name aliases that clients use are decoded`() {
    #expect(FieldType(name: "NUMBER_INT64") == FieldType(.int64))
    #expect(FieldType(name: "NUMBER_DOUBLE") == FieldType(.double))
  }

  @Test(arguments: ["", "string", "_LIST", "STRING_LIST_LIST", "UNKNOWN", "STRING_", "LIST"])
  func `an unknown type name decodes to nil`(_ name: String) {
    #expect(FieldType(name: name) == nil)
  }
}
