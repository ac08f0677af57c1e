import Crypto
import Foundation
import StratusWire
import Testing

@testable import StratusTransport

/// Encrypted values in the format of docs/internals/encryption.md, "A value on the wire".
@Suite struct `A sealed value` {
  static let values: [FieldValue] = [
    .string(""), .string("Grüße 👋 \"\\\n"), .int64(.min), .double(-0.1), .timestamp(1_500),
    .bytes([0, 255]), .location(Location(latitude: 60.5, longitude: -24)),
    .list(.string, []), .list(.string, ["a", "b"].map(FieldValue.string)),
    .list(.double, [.double(1), .double(2.5)]),
    .timestamp(Timestamp(referenceSeconds: 0.000_1) ?? 0),
    .list(.timestamp, [.timestamp(1), .timestamp(Timestamp(referenceSeconds: 0.1 + 0.2) ?? 0)]),
  ]

  private func sealed(_ value: FieldValue) throws -> (type: FieldType, bytes: [UInt8]) {
    let sealed = try Fixture.zoneKey().recordKey(of: "n").sealed(
      value, field: "f", randomness: Fixture.nonce)
    guard case .sealed(let type, let bytes) = sealed else {
      throw KeyFailure.unusable("not sealed")
    }
    return (type, bytes)
  }

  @Test(arguments: values)
  func `a sealed value opens to its original value`(_ value: FieldValue) throws {
    let (type, bytes) = try sealed(value)
    #expect(type == FieldType(value.type.element, isList: value.type.isList, isEncrypted: true))
    let key = Fixture.zoneKey().recordKey(of: "n")
    #expect(key.opened(bytes, type: type, field: "f") == value)
  }

  /// Decrypts the value with the documented format and without the code under test.
  @Test func `every byte of a sealed value has the documented format`() throws {
    let (_, bytes) = try sealed(.int64(-5))
    func text(_ parts: String...) -> [UInt8] {
      parts.flatMap { [0, 0, 0, UInt8($0.utf8.count)] + Array($0.utf8) }
    }
    let zoneKey = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
    let keyID = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: zoneKey, info: text("stratus zone key ID 1"), outputByteCount: 8
    ).withUnsafeBytes(Array.init)
    let recordKey = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: zoneKey,
      info: text("stratus record key 1", "iCloud.a", "development", "_ann", "Notes", "n"),
      outputByteCount: 32)
    #expect(bytes[0] == 1)
    #expect(Array(bytes[1..<9]) == keyID)
    #expect(Array(bytes[9..<21]) == Fixture.nonce(12))
    let box = try AES.GCM.SealedBox(combined: Data(bytes[9...]))
    let context = text(
      "stratus sealed value 1", "iCloud.a", "development", "_ann", "Notes", "n", "f",
      "ENCRYPTED_INT64")
    let plain = try AES.GCM.open(box, using: recordKey, authenticating: context + [1] + keyID)
    #expect(String(decoding: plain, as: UTF8.self) == "-5")
  }

  @Test
  func `a sealed value cannot be decrypted as the value of another record, field or type`() throws {
    let (type, bytes) = try sealed(.string("secret"))
    let key = Fixture.zoneKey().recordKey(of: "n")
    #expect(key.opened(bytes, type: type, field: "g") == nil)
    #expect(
      key.opened(bytes, type: FieldType(.bytes, isEncrypted: true), field: "f") == nil)
    let list = FieldType(.string, isList: true, isEncrypted: true)
    #expect(key.opened(bytes, type: list, field: "f") == nil)
    let otherRecord = Fixture.zoneKey().recordKey(of: "m")
    #expect(otherRecord.opened(bytes, type: type, field: "f") == nil)
    let places = [
      ZoneKeyContext(
        container: "iCloud.b", environment: .development, owner: "_ann", zoneName: "Notes"),
      ZoneKeyContext(
        container: "iCloud.a", environment: .production, owner: "_ann", zoneName: "Notes"),
      ZoneKeyContext(
        container: "iCloud.a", environment: .development, owner: "_bob", zoneName: "Notes"),
      ZoneKeyContext(
        container: "iCloud.a", environment: .development, owner: "_ann", zoneName: "Other"),
      // The same letters, but with another boundary between the names.
      ZoneKeyContext(
        container: "iCloud.a", environment: .development, owner: "_annN", zoneName: "otes"),
    ]
    for context in places {
      let other = Fixture.zoneKey(context).recordKey(of: "n")
      #expect(other.opened(bytes, type: type, field: "f") == nil, "\(context)")
    }
  }

  @Test func `a sealed value with a changed or missing byte cannot be decrypted`() throws {
    let (type, bytes) = try sealed(.string("secret"))
    let key = Fixture.zoneKey().recordKey(of: "n")
    for context in bytes.indices {
      var changed = bytes
      changed[context] ^= 1
      #expect(key.opened(changed, type: type, field: "f") == nil, "byte \(context)")
      #expect(key.opened(Array(bytes[..<context]), type: type, field: "f") == nil)
    }
  }

  @Test func `the server recognizes a sealed value by its format`() throws {
    let (_, bytes) = try sealed(.string(""))
    #expect(SealedEnvelope.isWellFormed(bytes))
    #expect(SealedEnvelope.keyID(of: bytes) == Fixture.zoneKey().id)
  }
}
