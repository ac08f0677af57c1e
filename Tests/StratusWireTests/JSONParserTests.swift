import Testing

@testable import StratusWire

@Suite struct Parser {
  @Test(arguments: [
    "{}", "[]", "null", "true", "false", "0", "-0", "-1", "1.5", "0.1", "1e5", "1E+5", "1e-05",
    "-12.340e+6", "\"\"", "\"a\"", " \t\r\n[ ]\n", "{\"\":0}", "{\"a\":{\"b\":[]}}",
    "[1,2 , 3]", "[[],{},\"\",null]", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\\uFFFF\"",
    "\"\\uD83D\\uDE00\"", "\"\u{7F}\u{2028}é😀\"", "{\"a\":1,\"a\":2}", "[\"\\u0000\"]",
  ]) func `valid JSON of RFC 8259 is accepted`(_ text: String) throws {
    #expect(throws: Never.self) { try parsed(text) }
  }

  @Test(arguments: [
    "", " ", "{", "}", "[", "]", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity",
    "undefined",
    "01", "-01", "00", "-", "+1", "1.", ".5", "1.e5", "1e", "1e+", "0x10", "1_000", "1 2", "--1",
    "\"", "\"a", "'a'", "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\\x41\"", "\"\\u12\"", "\"\\u12G4\"",
    "\"\\a\"", "\"\\\"", "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"\\uDC00\"", "\"\\uD800x\"",
    "\"\\uD800\\uD800\"", "[1,]", "[,1]", "[1 2]", "[1,,2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
    "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{,}", "[}", "{]", "{}{}", "[] x", "/**/1",
    "1//", "\u{FEFF}{}", "[1]\u{A0}", "{\"a\":tru}",
  ]) func `text that is not JSON of RFC 8259 is refused`(_ text: String) {
    #expect(refusal { try parsed(text) }?.hasPrefix("invalid JSON at byte ") == true)
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82],
      [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
    ] as [[UInt8]]) func `a string that is not UTF-8 is refused`(_ bytes: [UInt8])
  {
    for padding in 0..<9 {
      let text = Array("\"".utf8) + Array(repeating: 0x61, count: padding) + bytes + [0x22]
      let reason = refusal { try JSONView(parsing: text) }
      #expect(reason == "invalid JSON at byte \(1 + padding): the text is not UTF-8")
    }
  }

  @Test func `the nesting depth of JSON is limited`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array(repeating: 0x5B, count: depth) + Array(repeating: 0x5D, count: depth)
    }
    #expect(refusal { try JSONView(parsing: nested(Limits.jsonDepthMax)) } == nil)
    let reason = refusal { try JSONView(parsing: nested(Limits.jsonDepthMax + 1)) }
    #expect(reason == "invalid JSON at byte 32: more than 32 levels")
    #expect(refusal { try JSONView(parsing: nested(1_000_000)) } != nil)
  }

  @Test func `JSON text that is truncated at any byte is refused`() throws {
    let whole = Array(createRequest.utf8)
    _ = try JSONView(parsing: whole)
    for count in 0..<whole.count {
      #expect(refusal { try JSONView(parsing: Array(whole[..<count])) } != nil, "cut at \(count)")
    }
  }

  @Test(arguments: [1, 20_261_121, 0xC10D])
  func `random bytes are refused or decoded without a crash`(_ seed: UInt64) {
    var numbers = SeededNumbers(state: seed)
    let letters = Array("{}[]\":,\\u0123456789eE+-.truefalsn \u{FC}".utf8) + [0x00, 0x80, 0xFF]
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...40, using: &numbers)
      let bytes = (0..<count).map { _ in letters.randomElement(using: &numbers) ?? 0 }
      if let view = try? JSONView(parsing: bytes) { touch(view) }
    }
  }

  @Test(arguments: [7, 8, 9]) func `a request with changed bytes never causes a crash`(
    _ seed: UInt64
  ) {
    var numbers = SeededNumbers(state: seed)
    let whole = Array(createRequest.utf8)
    for _ in 0..<2_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &numbers) {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] =
          UInt8.random(in: 0...255, using: &numbers)
      }
      guard let request = try? ModifyRecords.Request(jsonBytes: bytes) else { continue }
      for operation in request.operations {
        for field in (try? FieldInput.all(in: operation.fields)) ?? [] {
          _ = try? field.decode(schemaType: nil)
        }
      }
    }
  }

  /// Calls every accessor of a value and of all values that it contains.
  private func touch(_ view: JSONView) {
    _ = (view.string, view.int64, view.double, view.bool, view.text.count)
    for element in view.elements { touch(element.value) }
    for member in view.members {
      _ = member.key
      touch(member.value)
    }
  }
}

@Suite struct Values {
  @Test(arguments: [
    (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
    (#""\uD83D\uDE00 \ud834\udd1e""#, "😀 𝄞"), (#""\u0000""#, "\u{0}"), (#""""#, ""),
    (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\\u0041""#, #"\u0041"#),
  ]) func `escape sequences decode to their characters`(_ text: String, _ expected: String) throws {
    let string = try #require(try parsed(text).string)
    #expect(Array(string.utf8) == Array(expected.utf8))
  }

  @Test func `every character is equal after encoding and decoding`() throws {
    let scalars = Array(0...0x2FF) + [0x2028, 0xFEFF, 0xFFFF, 0x1F600, 0x10FFFF]
    let string = String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    var writer = JSONWriter()
    writer.string(string)
    let back = try #require(try JSONView(parsing: writer.bytes).string)
    #expect(Array(back.utf8) == Array(string.utf8))
  }

  @Test(
    arguments: [
      ("3", 3), ("-3", -3), ("3.0", 3), ("3.000", 3), ("1e3", 1000), ("1.5e1", 15), ("-0", 0),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0e99999999999999999999", 0),
      ("9007199254740993.0", 9_007_199_254_740_993), ("\"42\"", 42), ("\"-42\"", -42),
      ("1200e-2", 12), ("9223372036854775807.0", .max),
    ] as [(String, Int64)]) func `a whole number decodes without loss`(
      _ text: String, _ value: Int64
    )
    throws
  {
    #expect(try parsed(text).int64 == value)
  }

  @Test(arguments: [
    "3.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400", "\"\"", "\"a\"",
    "\" 1\"", "\"1 \"", "\"0x10\"", "\"+1\"", "\"nan\"", "\"1.\"", "true", "false", "null", "[]",
    "{}", "0.99999999999999999999", "1e99999999999999999999",
  ]) func `only a whole number that fits in 64 bits decodes as a whole number`(_ text: String)
    throws
  {
    #expect(try parsed(text).int64 == nil)
  }

  @Test(
    arguments: [
      ("3", 3), ("-0.5", -0.5), ("1e300", 1e300), ("\"2.5\"", 2.5),
      ("5e-324", .leastNonzeroMagnitude),
      ("0.1", 0.1), ("12345678901234567890", 12_345_678_901_234_567_168),
    ] as [(String, Double)]) func `a number decodes to its value`(_ text: String, _ value: Double)
    throws
  {
    #expect(try parsed(text).double == value)
  }

  @Test(arguments: [
    "1e400", "\"nan\"", "\"inf\"", "\"infinity\"", "\"0x1p3\"", "\"\"", "true", "[]",
  ])
  func `a number that is not finite does not decode`(_ text: String) throws {
    #expect(try parsed(text).double == nil)
  }

  @Test(arguments: [
    0, -0.0, 1, -1, 0.1, 1.0 / 3, 1e15, 1e16, 1e20, 1e21, 123_456_789.125, .leastNonzeroMagnitude,
    1e-7,
    .greatestFiniteMagnitude, -.leastNormalMagnitude, .pi,
  ]) func `a floating-point number keeps its bits in encoding and decoding`(_ value: Double) throws
  {
    var writer = JSONWriter()
    writer.double(value)
    let back = try #require(try JSONView(parsing: writer.bytes).double)
    #expect(back.bitPattern == value.bitPattern)
  }

  @Test(arguments: [Int64.min, -1, 0, 9, 10, 1_767_225_600_000, .max])
  func `a whole number is equal after encoding and decoding`(_ value: Int64) throws {
    var writer = JSONWriter()
    writer.int(value)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == String(value))
    #expect(try JSONView(parsing: writer.bytes).int64 == value)
  }

  @Test(
    arguments: [
      ("true", true), ("false", false), ("\"True\"", true), ("\"true\"", true),
      ("\"false\"", false),
      ("1", nil), ("\"yes\"", nil), ("null", nil),
    ] as [(String, Bool?)]) func `a Boolean decodes from a Boolean or a string`(
      _ text: String, _ value: Bool?
    )
    throws
  {
    #expect(try parsed(text).bool == value)
  }

  @Test func `an absent key has the same meaning as null`() throws {
    let view = try parsed(#"{"a":null,"b":0}"#)
    #expect(view["a"] == nil)
    #expect(view["c"] == nil)
    #expect(view["b"] != nil)
    #expect(try parsed("[1]")["b"] == nil)
  }

  @Test func `a key with escape sequences is found`() throws {
    #expect(try parsed(#"{"\u0061\"":1,"x":{"b":2},"c":3}"#)["a\""]?.int64 == 1)
    #expect(try parsed(#"{"x":{"c":2},"y":[{"c":1}],"c":3}"#)["c"]?.int64 == 3)
  }

  @Test func `elements and members are read in their order`() throws {
    let view = try parsed(#"[{"b":1,"a":[2,{"c":3}]},[4],5]"#)
    #expect(
      view.elements.map { String(decoding: $0.value.text, as: UTF8.self) }
        == [#"{"b":1,"a":[2,{"c":3}]}"#, "[4]", "5"])
    let first = try #require(view.elements.first { _ in true })
    #expect(first.value.members.map(\.key) == ["b", "a"])
  }
}
