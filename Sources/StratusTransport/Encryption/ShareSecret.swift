import Crypto
import Foundation
import StratusWire

/// The secret in the fragment of a share's URL, with which people who have the URL open the keys of
/// the shared zone or hierarchy. Browsers and this framework never send the fragment to a server.
///
/// The secret is derived from the key of the zone or of the hierarchy, and does not reveal the key.
/// Each device with the key can therefore compute the secret. A new key results in a new secret.
public struct ShareSecret: Sendable, Hashable {
  /// The number of bytes.
  static let length = 16

  let bytes: [UInt8]

  /// Derives the secret from the key of a zone or of a shared hierarchy.
  public init(of key: ZoneKey) {
    bytes =
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: key.key, info: key.context.binding("stratus share secret 1").data,
        outputByteCount: Self.length
      ).rawBytes
  }

  /// Parses a secret in the form of ``text``. Returns nil if the text does not have this form.
  public init?(text: String) {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    guard text.utf8.count == 22, let data = Data(base64Encoded: plain + "=="),
      data.count == Self.length
    else { return nil }
    bytes = Array(data)
  }

  /// The secret as 22 letters, digits, `-` and `_`.
  public var text: String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// Identifies the secret on the server, without revealing it.
  func id(in context: ZoneKeyContext) -> [UInt8] {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes),
      info: context.binding("stratus share link 1").data, outputByteCount: UserKey.length
    ).rawBytes
  }

  func key(in context: ZoneKeyContext) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes),
      info: context.binding("stratus share key 1").data, outputByteCount: 32)
  }
}

extension Binding {
  var data: Data { Data(bytes) }
}
