import Crypto
import Foundation
public import StratusWire

/// Seals and opens the encrypted values of one record.
public struct RecordKey: Sendable {
  let key: SymmetricKey
  let zoneKeyID: [UInt8]
  let place: ZonePlace
  let recordName: String

  /// Seals a value for one field.
  ///
  /// - Parameter randomness: draws so many bytes at random, for the nonce.
  /// - Throws: ``KeyFailure/unusable(_:)``.
  public func sealed(
    _ value: FieldValue, field: String, randomness: (Int) -> [UInt8]
  ) throws(KeyFailure) -> FieldValue {
    let type = FieldType(value.type.element, isList: value.type.isList, isEncrypted: true)
    do {
      let nonce = try AES.GCM.Nonce(data: randomness(SealedEnvelope.nonceLength))
      let box = try AES.GCM.seal(
        value.valueJSON, using: key, nonce: nonce, authenticating: place(of: field, type))
      return .sealed(
        type,
        SealedEnvelope.bytes(
          keyID: zoneKeyID, nonce: Array(nonce), ciphertext: Array(box.ciphertext),
          tag: Array(box.tag)))
    } catch {
      throw .unusable("the value of field '\(field)' cannot be sealed")
    }
  }

  /// Opens a value; nil if it was sealed with another key, for another place, or is damaged.
  ///
  /// - Parameter type: the encrypted type that stands beside the value.
  public func opened(_ bytes: [UInt8], type: FieldType, field: String) -> FieldValue? {
    guard SealedEnvelope.keyID(of: bytes) == zoneKeyID, let parts = SealedEnvelope.box(of: bytes),
      let box = try? AES.GCM.SealedBox(combined: Data(parts)),
      let plain = try? AES.GCM.open(box, using: key, authenticating: place(of: field, type)),
      let json = try? JSONView(parsing: Array(plain))
    else { return nil }
    return try? FieldValue(
      valueJSON: json, type: FieldType(type.element, isList: type.isList))
  }

  /// What is authenticated with a value.
  private func place(of field: String, _ type: FieldType) -> [UInt8] {
    let binding = Binding(
      "stratus sealed value 1", place.container, place.environment.rawValue, place.owner,
      place.zoneName, recordName, field, type.schemaName)
    return binding.bytes + [SealedEnvelope.version] + zoneKeyID
  }
}
