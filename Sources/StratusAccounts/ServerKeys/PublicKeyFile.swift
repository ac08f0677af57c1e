import Crypto
import Foundation
import StratusDomain

/// Reads the PEM file of a public key, as `openssl ec -pubout` writes it.
enum PublicKeyFile {
  /// The maximum length of a file. A file with a key and some remarks is much shorter.
  private static let bytesMax = 16_384

  /// Returns the first public key in the file. Other text around the key is ignored.
  ///
  /// - Throws: `BAD_REQUEST` with advice if the file is too long, if it has no readable public key,
  ///   or if the curve is not P-256.
  static func key(_ text: String) throws(ServerError) -> P256.Signing.PublicKey {
    guard text.utf8.count <= bytesMax else {
      throw .badRequest("the file is too long for a key; \(advice)")
    }
    guard let begin = text.range(of: "-----BEGIN PUBLIC KEY-----"),
      let end = text.range(
        of: "-----END PUBLIC KEY-----", range: begin.upperBound..<text.endIndex)
    else { throw .badRequest(fault(of: text)) }
    let base64 = text[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
    guard let bytes = Data(base64Encoded: String(base64)) else {
      throw .badRequest("the public key in the file is damaged; \(advice)")
    }
    do {
      return try P256.Signing.PublicKey(derRepresentation: bytes)
    } catch {
      throw .badRequest("the public key in the file is not on the curve P-256; \(advice)")
    }
  }

  private static func fault(of text: String) -> String {
    if text.contains("PRIVATE KEY-----") {
      return "the file holds a private key, which stays with you; \(advice)"
    }
    if text.contains("-----BEGIN CERTIFICATE-----") {
      return "the file holds a certificate, not a public key; \(advice)"
    }
    return "there is no public key in the file; \(advice)"
  }

  private static let advice =
    "make a file for it with 'openssl ec -in eckey.pem -pubout -out public.pem'"
}
