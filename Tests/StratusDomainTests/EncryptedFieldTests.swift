import StratusWire
import Testing

@testable import StratusDomain

/// Saves of encrypted fields.
@Suite struct `Encrypted fields and the schema` {
  private static let keyID: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
  private static let sealed =
    SealedEnvelope.bytes(
      keyID: keyID, nonce: [UInt8](repeating: 0, count: 12), ciphertext: [9],
      tag: [UInt8](repeating: 0, count: 16))

  private func fields(_ name: String, _ value: FieldValue) throws -> JSONView {
    try JSONView(parsing: FieldsJSON([(name, value)]).text)
  }

  private func sealed(_ element: FieldType.Element) -> FieldValue {
    .sealed(FieldType(element, isEncrypted: true), Self.sealed)
  }

  private func decision(
    _ environment: ContainerEnvironment = .development, isPublic: Bool = false
  ) throws -> FieldDecision {
    let situation = try Situation.oneNote()
    return FieldDecision(
      schema: situation.schema, environment: environment, allowsEncryption: !isPublic)
  }

  private func reason(
    _ fields: JSONView, _ decision: FieldDecision
  ) -> String? {
    var decision = decision
    do throws(ServerError) {
      _ = try decision.decide(fields, recordType: "Note", zoneID: ZoneID(zoneName: "Work"))
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `a new encrypted field gets an encrypted type and no indexes in the schema`() throws {
    var decision = try decision()
    let changes = try decision.decide(
      fields("mood", sealed(.int64)), recordType: "Note", zoneID: ZoneID(zoneName: "Work"))
    #expect(changes.map(\.value) == [sealed(.int64)])
    let field = try #require(decision.addition.fields.first)
    #expect(field.type.schemaName == "ENCRYPTED_INT64")
    #expect(field.indexes == [])
    #expect(decision.zoneKeyIDs == [Self.keyID])
  }

  @Test func `a new encrypted field is refused in production`() throws {
    #expect(
      reason(try fields("mood", sealed(.int64)), try decision(.production))
        == "Cannot create new field 'mood' in type 'Note' in production schema")
  }

  @Test func `a plain field cannot get an encrypted value`() throws {
    let text = reason(try fields("title", sealed(.string)), try decision())
    #expect(text?.hasSuffix("Attempt to save encrypted data in non encrypted field type") == true)
  }

  @Test func `an encrypted field cannot get a value of another type`() throws {
    var decision = try decision()
    _ = try decision.decide(
      fields("mood", sealed(.int64)), recordType: "Note", zoneID: ZoneID(zoneName: "Work"))
    for value in [FieldValue.int64(5), sealed(.string)] {
      let text = reason(try fields("mood", value), decision)
      #expect(text?.contains("invalid attempt to set value type") == true)
      #expect(text?.hasSuffix("defined to be: ENCRYPTED_INT64") == true)
    }
  }

  @Test func `an encrypted field is refused in the public database`() throws {
    #expect(
      reason(try fields("mood", sealed(.int64)), try decision(isPublic: true))
        == "encrypted fields are not supported in the public database")
  }

  @Test func `a plain value that is marked as encrypted is refused`() throws {
    let plain = try JSONView(
      parsing: Array(#"{"mood":{"value":"c2VjcmV0","type":"STRING","isEncrypted":true}}"#.utf8))
    #expect(reason(plain, try decision())?.contains("sealed on the device") == true)
  }
}
