import Crypto
import Foundation
import StratusDomain
import StratusWire
import Testing

@testable import StratusAccounts

/// Damaged answers of authenticators and of identity providers. Every parser refuses a damaged
/// answer, or reads values that an undamaged answer could contain.
@Suite struct `Damaged sign-ins` {
  /// Bytes that have a meaning in CBOR: heads of all kinds, some with lengths beyond the end of the
  /// data.
  private static let heads: [[UInt8]] = [
    [0x00], [0x18, 0x00], [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x20], [0x40],
    [0x58, 0xFF], [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x60], [0x61, 0x80],
    [0x80], [0x81], [0x9A, 0xFF, 0xFF, 0xFF, 0xFF], [0x9F], [0xA0], [0xA1, 0x01, 0x02],
    [0xBB, 0, 0, 0, 0, 0, 0, 1, 0], [0xC0], [0xF4], [0xF5], [0xF6], [0xF9, 0, 0], [0xFF],
  ]

  @Test func `damaged CBOR is refused, or its value can be encoded and read again unchanged`() {
    let samples: [[UInt8]] = [
      TestAuthenticator().publicKey, Self.attestation(TestAuthenticator()),
      CBORText.map([
        (CBORText.text("é"), [0x82, 0xF4, 0xF6]), (CBORText.integer(-500), [0x81, 0x81, 0x20]),
      ]),
    ]
    var readable = 0
    Fuzz.run(samples, pieces: Self.heads) { bytes, comment in
      guard let value = try? CBOR(bytes) else { return }
      readable += 1
      let again = Self.encode(value)
      #expect((try? CBOR(again)) == value, comment)
      #expect(again.count <= bytes.count, comment)
    }
    #expect(readable > Fuzz.rounds / 50)
  }

  /// Writes a value in the shortest form.
  private static func encode(_ value: CBOR) -> [UInt8] {
    switch value {
    case .integer(let number):
      let argument = UInt64(number < 0 ? -1 - number : number)
      return head(number < 0 ? 1 : 0, argument)
    case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
    case .text(let text): return head(3, UInt64(text.utf8.count)) + Array(text.utf8)
    case .array(let elements):
      return head(4, UInt64(elements.count)) + elements.flatMap(encode)
    case .map(let pairs):
      return head(5, UInt64(pairs.count)) + pairs.flatMap { encode($0.key) + encode($0.value) }
    case .bool(let value): return [value ? 0xF5 : 0xF4]
    case .null: return [0xF6]
    }
  }

  private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(argument >> (8 * UInt64($0)) & 255) }
    }
    switch argument {
    case 0..<24: return [major << 5 | UInt8(argument)]
    case ..<0x100: return [major << 5 | 24] + bytes(1)
    case ..<0x1_0000: return [major << 5 | 25] + bytes(2)
    case ..<0x1_0000_0000: return [major << 5 | 26] + bytes(4)
    default: return [major << 5 | 27] + bytes(8)
    }
  }

  private static func attestation(_ authenticator: TestAuthenticator) -> [UInt8] {
    Base64URL.decode(authenticator.creation([1, 2, 3])["attestation"] ?? "") ?? []
  }

  @Test
  func `a damaged public key is refused, or is still the same key, or verifies no signature`()
    throws
  {
    let p256 = P256.Signing.PrivateKey()
    let signature = Array(try p256.signature(for: Data("x".utf8)).derRepresentation)
    let ed25519 = Curve25519.Signing.PrivateKey()
    let samples = [
      TestAuthenticator(key: .p256(p256)).publicKey,
      TestAuthenticator(key: .ed25519(ed25519)).publicKey,
    ]
    let edSignature = Array(try ed25519.signature(for: Data("x".utf8)))
    Fuzz.run(samples, pieces: Self.heads) { bytes, comment in
      guard let key = PasskeyKey(bytes: bytes), let value = try? CBOR(bytes) else { return }
      // The keys are the same if these members are. The server ignores all other members.
      func sameKey(_ sample: [UInt8], _ members: [Int64]) -> Bool {
        let good = try? CBOR(sample)
        return members.allSatisfy { value[$0] == good?[$0] }
      }
      let message = Array("x".utf8)
      #expect(
        key.isSignature(signature, of: message) == sameKey(samples[0], [1, 3, -1, -2, -3]),
        comment)
      #expect(
        key.isSignature(edSignature, of: message) == sameKey(samples[1], [1, 3, -1, -2]), comment)
    }
  }

  @Test
  func `damaged data of an authenticator are refused, or have further bytes only for extensions`() {
    let authenticator = TestAuthenticator()
    let creation = (try? CBOR(Self.attestation(authenticator)))?["authData"]?.bytes ?? []
    var extended = Array(creation.prefix(37)) + CBORText.map([(CBORText.text("a"), [0xF5])])
    extended[32] = 0x85
    let samples = [creation, Array(creation.prefix(32)) + [5, 0, 0, 0, 9], extended]
    #expect(samples.allSatisfy { AuthenticatorData($0) != nil })
    Fuzz.run(samples, pieces: Self.heads) { bytes, comment in
      guard let data = AuthenticatorData(bytes) else { return }
      #expect(data.serverHash == Array(bytes.prefix(32)), comment)
      #expect((data.credential != nil) == (bytes[32] & 0x40 != 0), comment)
      #expect((data.credential?.id.count ?? 1) <= AuthenticatorData.credentialIDMax, comment)
      let size = 37 + (data.credential.map { 18 + $0.id.count + $0.publicKey.count } ?? 0)
      #expect(bytes[32] & 0x80 != 0 ? size < bytes.count : size == bytes.count, comment)
    }
  }

  @Test
  func `a damaged sign-in is refused, and a damaged registration keeps its type and origin`()
    throws
  {
    let (challenge, handle): ([UInt8], [UInt8]) = ([9, 8, 7, 6], [1, 2])
    let site = try #require(PasskeySite(serverURL: "http://localhost"))
    var authenticator = TestAuthenticator()
    authenticator.userHandle = handle
    let made = authenticator.creation(challenge)
    let signed = try authenticator.signIn(challenge)
    func bytes(_ text: String?) -> [UInt8] { Base64URL.decode(text ?? "") ?? [] }
    let new = try PasskeyCheck.registration(
      clientData: bytes(made["client_data"]), attestation: bytes(made["attestation"]),
      challenge: challenge, site: site)
    let passkey = Passkey(
      id: new.credential.id, accountID: "1", name: "", publicKey: new.credential.publicKey,
      host: "localhost", signCount: 0, isBackupEligible: new.isBackupEligible,
      isBackedUp: new.isBackedUp, createdAt: 0)
    let data = bytes(signed["authenticator_data"])
    let pieces = [
      "\"", "{", "}", ",", ":", "\\u0061", "webauthn.create", "webauthn.get", "true", "null",
      "\"origin\":\"http://localhost\"", "\"crossOrigin\":true", "\"topOrigin\":\"x\"", " ",
    ]
    let samples = [bytes(made["client_data"]), bytes(signed["client_data"])]
    Fuzz.run(samples, pieces: pieces.map { Array($0.utf8) }) { damaged, comment in
      let found = try? PasskeyCheck.assertion(
        clientData: damaged, authenticatorData: data, signature: bytes(signed["signature"]),
        userHandle: handle, passkey: passkey, expectedHandle: handle, challenge: challenge,
        site: site)
      // The signature covers each byte.
      #expect((found != nil) == (damaged == samples[1]), comment)
      let accepted = try? PasskeyCheck.registration(
        clientData: damaged, attestation: bytes(made["attestation"]), challenge: challenge,
        site: site)
      guard accepted != nil else { return }
      let read = try? CollectedClientData(jsonBytes: damaged)
      #expect(read?.type == "webauthn.create" && read?.origin == "http://localhost", comment)
    }
  }

  @Test func `a damaged ID token is never accepted`() throws {
    let now: Int64 = 1_767_225_600_000
    let provider = IdentityProvider(
      id: "work", name: "Work", issuer: "https://id.example", clientID: "client",
      algorithm: .es256)
    let key = P256.Signing.PrivateKey()
    func token(_ subject: String) throws -> String {
      let head = Base64URL.encode(Array(#"{"alg":"ES256","kid":"a"}"#.utf8))
      let claims =
        #"{"iss":"https://id.example","aud":"client","sub":"\#(subject)","nonce":"n","#
        + #""iat":1767225600,"exp":1767225900}"#
      let message = head + "." + Base64URL.encode(Array(claims.utf8))
      let signature = try key.signature(for: Data(message.utf8)).rawRepresentation
      return message + "." + Base64URL.encode(Array(signature))
    }
    let good = [try token("one"), try token("two")]
    func isAccepted(_ text: String) -> Bool {
      guard let token = try? IDTokenCheck.SignedToken(text) else { return false }
      return
        (try? IDTokenCheck.check(
          token, signedBy: .p256(key.publicKey), of: provider, nonce: "n", now: now)) != nil
    }
    #expect(good.allSatisfy(isAccepted))
    let pieces = [".", "..", "=", "-", "_", "+", "/", "A", "eyJhbGciOiJub25lIn0", "\u{0}", "é"]
    Fuzz.run(good, pieces: pieces) { bytes, comment in
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(isAccepted(text) == good.contains(text), comment)
    }
  }

  @Test func `a damaged telephone number is refused, or has only digits`() {
    let samples = ["+49 (30) 123-4567", "+1.650.555.0100", "030 1234567"]
    Fuzz.run(samples, pieces: ["+", "00", " ", "é", "\u{0}", "٣", "-"]) { bytes, comment in
      guard let number = PhoneNumber.normal(String(decoding: bytes, as: UTF8.self)) else { return }
      #expect(number.wholeMatch(of: /\+[1-9][0-9]{6,14}/) != nil, comment)
      #expect(PhoneNumber.normal(number) == number, comment)
    }
  }
}
