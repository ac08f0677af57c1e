import Testing

@testable import StratusWire

@Suite
struct FieldInputs {
  private func decode(_ text: String, as type: FieldType) throws -> FieldValue? {
    let fields = try JSONView(parsing: Array("{\"a\": \(text)}".utf8))
    return try FieldInput.all(in: fields).first?.decode(schemaType: type)
  }

  @Test
  func `a whole number fits a field of real ones if no digit is lost`() throws {
    let double = FieldType(.double)
    #expect(try decode(#"{"value": 3, "type": "INT64"}"#, as: double) == .double(3))
    #expect(throws: WireError.self) {
      try decode(#"{"value": 9223372036854775807, "type": "INT64"}"#, as: double)
    }
  }
}
