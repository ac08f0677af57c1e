import Crypto
import Foundation

/// A certificate for `localhost` and its key. Each test generates its own (RFC 5280, in DER).
struct SelfSignedCertificate {
  let pem: String
  let keyPEM: String

  init() throws {
    let key = P256.Signing.PrivateKey()
    keyPEM = key.pemRepresentation
    let signed = DER.sequence([
      DER.tagged(0xA0, DER.integer([2])), DER.integer([1]), Self.ecdsaWithSHA256, Self.name,
      DER.sequence([DER.time("250101000000Z"), DER.time("491231235959Z")]), Self.name,
      Array(key.publicKey.derRepresentation),
      DER.tagged(0xA3, DER.sequence([Self.isAuthority, Self.alternativeNames])),
    ])
    let signature = try key.signature(for: signed).derRepresentation
    let certificate = DER.sequence([
      signed, Self.ecdsaWithSHA256, DER.tagged(0x03, [0] + Array(signature)),
    ])
    let text = Data(certificate).base64EncodedString(options: [
      .lineLength64Characters, .endLineWithLineFeed,
    ])
    let label = "CERTIFICATE"
    let dashes = String(repeating: "-", count: 5)
    pem = """
      \(dashes)BEGIN \(label)\(dashes)
      \(text)
      \(dashes)END \(label)\(dashes)

      """
  }

  /// The object identifier of ECDSA with SHA-256, 1.2.840.10045.4.3.2.
  private static let ecdsaWithSHA256 = DER.sequence([
    DER.tagged(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
  ])

  /// The common name, with the object identifier 2.5.4.3.
  private static let name = DER.sequence([
    DER.tagged(
      0x31,
      DER.sequence([DER.tagged(0x06, [0x55, 0x04, 0x03]), DER.tagged(0x0C, localhost)]))
  ])

  /// The basic constraints, with the object identifier 2.5.29.19.
  private static let isAuthority = DER.sequence([
    DER.tagged(0x06, [0x55, 0x1D, 0x13]), DER.tagged(0x01, [0xFF]),
    DER.tagged(0x04, DER.sequence([DER.tagged(0x01, [0xFF])])),
  ])

  /// The subject alternative names, with the object identifier 2.5.29.17.
  private static let alternativeNames = DER.sequence([
    DER.tagged(0x06, [0x55, 0x1D, 0x11]),
    DER.tagged(0x04, DER.sequence([DER.tagged(0x82, localhost)])),
  ])

  private static let localhost = Array("localhost".utf8)
}

/// The DER encoding (X.690) of the parts that a certificate needs.
private enum DER {
  static func sequence(_ parts: [[UInt8]]) -> [UInt8] { tagged(0x30, parts.flatMap(\.self)) }

  static func integer(_ bytes: [UInt8]) -> [UInt8] { tagged(0x02, bytes) }

  static func time(_ text: String) -> [UInt8] { tagged(0x17, Array(text.utf8)) }

  static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    switch count {
    case 0..<128: return [tag, UInt8(count)] + content
    case 128..<256: return [tag, 0x81, UInt8(count)] + content
    case _: return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + content
    }
  }
}
