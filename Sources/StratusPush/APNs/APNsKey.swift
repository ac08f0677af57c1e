import Crypto
import Foundation
import StratusWire

/// The key of a developer team, which identifies this server to Apple's push service.
///
/// Source: Apple, *Establishing a token-based connection to APNs*.
public struct APNsKey: Sendable {
  private let key: P256.Signing.PrivateKey
  private let keyID: String
  private let teamID: String

  /// - Parameters:
  ///   - pem: the contents of the `.p8` file from Apple.
  ///   - keyID: ten letters and digits.
  ///   - teamID: ten letters and digits.
  /// - Throws: an error whose text is a sentence for the operator.
  public init(pem: String, keyID: String, teamID: String) throws(APNsKeyFailure) {
    for (name, value) in [("key ID", keyID), ("team ID", teamID)] where !Self.isID(value) {
      throw APNsKeyFailure("the APNs \(name) '\(value)' is not ten letters and digits")
    }
    guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
      throw APNsKeyFailure(
        "the APNs key is not a P-256 private key; give the .p8 file from Apple's developer site")
    }
    self.key = key
    self.keyID = keyID
    self.teamID = teamID
  }

  private static func isID(_ text: String) -> Bool {
    text.utf8.count == 10 && text.utf8.allSatisfy { UInt8.isLetterOrDigit($0) }
  }

  /// Returns a signed token that identifies the sender.
  func token(issuedAtSeconds: Int64) throws(APNsKeyFailure) -> String {
    let header = APNsTokenHeader(keyID: keyID).jsonBytes
    let claims = APNsTokenClaims(teamID: teamID, issuedAt: issuedAtSeconds).jsonBytes
    let signed = Self.inURL(header) + "." + Self.inURL(claims)
    guard let signature = try? key.signature(for: Array(signed.utf8)) else {
      throw APNsKeyFailure("the APNs key does not sign")
    }
    return signed + "." + Self.inURL(Array(signature.rawRepresentation))
  }

  /// Encodes bytes as base64url (RFC 7515).
  private static func inURL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}

/// The reason why a key for Apple's push service cannot be used.
public struct APNsKeyFailure: Error, CustomStringConvertible {
  /// A sentence for the operator.
  public let description: String

  public init(_ description: String) { self.description = description }
}

extension UInt8 {
  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
