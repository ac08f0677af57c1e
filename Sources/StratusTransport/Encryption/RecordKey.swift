import Crypto
import Foundation
public import StratusWire

/// Encrypts and decrypts the values of one record.
public struct RecordKey: Sendable {
  let key: SymmetricKey
  let zoneKeyID: [UInt8]
  let context: ZoneKeyContext
  let recordName: String

  /// Encrypts the value of a field.
  ///
  /// - Parameter randomness: returns the given number of random bytes, for the nonce.
  /// - Throws: ``KeyFailure/unusable(_:)``.
  public func sealed(
    _ value: FieldValue, field: String, randomness: (Int) -> [UInt8]
  ) throws(KeyFailure) -> FieldValue {
    let type = FieldType(value.type.element, isList: value.type.isList, isEncrypted: true)
    do {
      let nonce = try AES.GCM.Nonce(data: randomness(SealedEnvelope.nonceLength))
      let box = try AES.GCM.seal(
        value.valueJSON, using: key, nonce: nonce, authenticating: context(of: field, type))
      return .sealed(
        type,
        SealedEnvelope.bytes(
          keyID: zoneKeyID, nonce: Array(nonce), ciphertext: Array(box.ciphertext),
          tag: Array(box.tag)))
    } catch {
      throw .unusable("the value of field '\(field)' cannot be sealed")
    }
  }

  /// Decrypts a value. Returns nil if the value is damaged, or if it was encrypted with another key
  /// or for another field.
  ///
  /// - Parameter type: the encrypted type stored with the value.
  public func opened(_ bytes: [UInt8], type: FieldType, field: String) -> FieldValue? {
    guard SealedEnvelope.keyID(of: bytes) == zoneKeyID, let parts = SealedEnvelope.box(of: bytes),
      let box = try? AES.GCM.SealedBox(combined: Data(parts)),
      let plain = try? AES.GCM.open(box, using: key, authenticating: context(of: field, type)),
      let json = try? JSONView(parsing: Array(plain))
    else { return nil }
    return try? FieldValue(
      valueJSON: json, type: FieldType(type.element, isList: type.isList))
  }

  /// Returns the data that is authenticated together with a value.
  private func context(of field: String, _ type: FieldType) -> [UInt8] {
    let binding = Binding(
      "stratus sealed value 1", context.container, context.environment.rawValue, context.owner,
      context.zoneName, recordName, field, type.schemaName)
    return binding.bytes + [SealedEnvelope.version] + zoneKeyID
  }
}
