import Crypto
import CryptoExtras
import Foundation
import StratusDomain
import Testing

@testable import StratusAccounts

/// Writes CBOR as authenticators do.
enum CBORText {
  static func head(_ major: UInt8, _ count: Int) -> [UInt8] {
    switch count {
    case 0..<24: [major << 5 | UInt8(count)]
    case 24..<256: [major << 5 | 24, UInt8(count)]
    default: [major << 5 | 25, UInt8(count >> 8), UInt8(count & 255)]
    }
  }

  static func integer(_ value: Int) -> [UInt8] {
    value < 0 ? head(1, -1 - value) : head(0, value)
  }

  static func bytes(_ value: [UInt8]) -> [UInt8] { head(2, value.count) + value }

  static func text(_ value: String) -> [UInt8] { head(3, value.utf8.count) + Array(value.utf8) }

  static func map(_ pairs: [([UInt8], [UInt8])]) -> [UInt8] {
    head(5, pairs.count) + pairs.flatMap { $0.0 + $0.1 }
  }
}

/// An authenticator in software, with one passkey. Each property can be set to a wrong value.
struct TestAuthenticator {
  enum Key {
    case p256(P256.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)
  }

  var key = Key.p256(P256.Signing.PrivateKey())
  var credentialID: [UInt8] = (0..<16).map { _ in .random(in: 0...255) }
  var origin = "http://localhost"
  var serverID = "localhost"
  var isCrossOrigin: Bool? = false
  var topOrigin: String?
  /// The flags of every answer. The default means that a user is present and verified.
  var flags: UInt8 = 0x05
  var signCount: UInt32 = 0
  var userHandle: [UInt8]?
  var type: String?
  var challenge: [UInt8]?
  /// Bytes after the authenticator data.
  var surplus: [UInt8] = []

  /// The public key in the format COSE_Key.
  var publicKey: [UInt8] {
    typealias Text = CBORText
    func point(_ name: Int, _ bytes: some Sequence<UInt8>) -> ([UInt8], [UInt8]) {
      (Text.integer(name), Text.bytes(Array(bytes)))
    }
    func number(_ name: Int, _ value: Int) -> ([UInt8], [UInt8]) {
      (Text.integer(name), Text.integer(value))
    }
    switch key {
    case .p256(let key):
      let raw = Array(key.publicKey.rawRepresentation)
      return Text.map([
        number(1, 2), number(3, -7), number(-1, 1), point(-2, raw.prefix(32)),
        point(-3, raw.suffix(32)),
      ])
    case .ed25519(let key):
      return Text.map([
        number(1, 1), number(3, -8), number(-1, 6), point(-2, key.publicKey.rawRepresentation),
      ])
    case .rsa(let key):
      let modulus = (try? key.publicKey.getKeyPrimitives().modulus).map { Array($0) } ?? []
      return Text.map([
        number(1, 3), number(3, -257), point(-1, modulus), point(-2, [1, 0, 1]),
      ])
    }
  }

  private func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
    var text = #"{"type":"\#(self.type ?? type)","challenge":"#
    text += #""\#(Base64URL.encode(self.challenge ?? challenge))","origin":"\#(origin)""#
    if let isCrossOrigin { text += #","crossOrigin":\#(isCrossOrigin)"# }
    if let topOrigin { text += #","topOrigin":"\#(topOrigin)""# }
    return Array((text + "}").utf8)
  }

  private func head(_ flags: UInt8) -> [UInt8] {
    Digest.sha256(Array(serverID.utf8)) + [flags]
      + [24, 16, 8, 0].map { UInt8(signCount >> $0 & 255) }
  }

  private func sign(_ message: [UInt8]) throws -> [UInt8] {
    switch key {
    case .p256(let key): Array(try key.signature(for: Data(message)).derRepresentation)
    case .ed25519(let key): Array(try key.signature(for: Data(message)))
    case .rsa(let key):
      Array(try key.signature(for: Data(message), padding: .insecurePKCS1v1_5).rawRepresentation)
    }
  }

  /// Returns the form fields that create a passkey.
  func creation(_ challenge: [UInt8]) -> [String: String] {
    let data =
      head(flags | 0x40) + Array(repeating: 0, count: 16)
      + [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 255)] + credentialID
      + publicKey + surplus
    let attestation = CBORText.map([
      (CBORText.text("fmt"), CBORText.text("none")),
      (CBORText.text("attStmt"), CBORText.map([])),
      (CBORText.text("authData"), CBORText.bytes(data)),
    ])
    return [
      "credential": Base64URL.encode(credentialID),
      "client_data": Base64URL.encode(clientData("webauthn.create", challenge)),
      "attestation": Base64URL.encode(attestation),
    ]
  }

  /// Returns the form fields of a sign-in.
  func signIn(_ challenge: [UInt8]) throws -> [String: String] {
    let data = head(flags) + surplus
    let clientData = clientData("webauthn.get", challenge)
    return [
      "credential": Base64URL.encode(credentialID), "client_data": Base64URL.encode(clientData),
      "authenticator_data": Base64URL.encode(data),
      "signature": Base64URL.encode(try sign(data + Digest.sha256(clientData))),
      "user_handle": Base64URL.encode(userHandle ?? []),
    ]
  }
}

extension Browser.Page {
  /// Returns the options that this page gives to the authenticator.
  func passkeyOptions() throws -> JSON {
    let text = try #require(data("options"), "\(text)").replacing("&quot;", with: "\"")
    return try JSON(parsing: Array(text.utf8))
  }

  func challenge() throws -> [UInt8] {
    let text = try #require(try passkeyOptions()["challenge"].string)
    return try #require(Base64URL.decode(text))
  }
}
