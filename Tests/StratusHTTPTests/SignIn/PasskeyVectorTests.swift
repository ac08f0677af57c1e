import StratusDomain
import StratusTesting
import Testing

@testable import StratusAccounts

private func bytes(_ hex: String) throws -> [UInt8] { try #require([UInt8](hexText: hex)) }

/// The test vectors of WebAuthn Level 3, section 16.
@Suite struct `The test vectors of WebAuthn` {
  @Test(arguments: PasskeyVectors.signIns)
  func `the signature of a test vector is valid only for the vector's message`(
    vector: PasskeyVectors.SignIn
  ) throws {
    let key = try #require(PasskeyKey(bytes: try bytes(vector.publicKey)))
    let clientData = try bytes(vector.clientData)
    let message = try bytes(vector.authenticatorData) + Digest.sha256(clientData)
    var signature = try bytes(vector.signature)
    #expect(key.isSignature(signature, of: message))
    #expect(!key.isSignature(signature, of: message + [0]))
    #expect(!key.isSignature([], of: message))
    signature[signature.count - 1] ^= 1
    #expect(!key.isSignature(signature, of: message))
  }

  @Test func `a test vector's new passkey is accepted only if its user was verified`() throws {
    let site = try #require(PasskeySite(serverURL: "https://example.org"))
    let vector = PasskeyVectors.verified
    let passkey = try PasskeyCheck.registration(
      clientData: try bytes(vector.clientData), attestation: try bytes(vector.attestation),
      challenge: try bytes(vector.challenge), site: site)
    #expect(passkey.credential.id == (try bytes(vector.credentialID)))
    #expect(passkey.credential.publicKey == (try bytes(PasskeyVectors.signIns[0].publicKey)))
    // The vector's flags are 0x5D: the passkey can be copied to other devices, and is copied.
    #expect(passkey.isBackupEligible && passkey.isBackedUp)
    #expect(passkey.signCount == 0)
    let other = PasskeyVectors.unverified
    #expect(throws: PasskeyCheck.Fault.userNotVerified) {
      try PasskeyCheck.registration(
        clientData: try bytes(other.clientData), attestation: try bytes(other.attestation),
        challenge: try bytes(other.challenge), site: site)
    }
  }
}

@Suite struct `Values in CBOR` {
  /// RFC 8949, appendix A.
  private static let values: [(String, CBOR)] = [
    ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("1864", .integer(100)),
    ("1903e8", .integer(1_000)), ("1a000f4240", .integer(1_000_000)),
    ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)),
    ("3863", .integer(-100)), ("3903e7", .integer(-1_000)), ("f4", .bool(false)),
    ("f5", .bool(true)), ("f6", .null), ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
    ("60", .text("")), ("6449455446", .text("IETF")), ("62c3bc", .text("ü")),
    ("80", .array([])), ("83010203", .array([.integer(1), .integer(2), .integer(3)])),
    ("a0", .map([:])),
    (
      "a26161016162820203",
      .map([.text("a"): .integer(1), .text("b"): .array([.integer(2), .integer(3)])])
    ),
  ]

  private static let faults: [(String, CBOR.Fault)] = [
    ("", .endsEarly), ("18", .endsEarly), ("4401", .endsEarly), ("8201", .endsEarly),
    ("a101", .endsEarly), ("5b7fffffffffffffff", .endsEarly), ("5bffffffffffffffff", .endsEarly),
    ("0000", .hasMoreBytes), ("a201020103", .hasRepeatedKey), ("61ff", .isNotText),
    // From appendix A: floats, tags, simple values, and indefinite lengths.
    ("f90000", .isUnsupported), ("fb3ff199999999999a", .isUnsupported), ("f7", .isUnsupported),
    ("f0", .isUnsupported), ("c11a514b67b0", .isUnsupported),
    ("5f42010243030405ff", .isUnsupported),
    ("9fff", .isUnsupported), ("bfff", .isUnsupported), ("1bffffffffffffffff", .isUnsupported),
    ("3bffffffffffffffff", .isUnsupported), ("1c", .isUnsupported),
    ("818181818180", .isTooDeep), ("9b7fffffffffffffff", .hasTooManyItems),
    ("bb7fffffffffffffff", .hasTooManyItems),
  ]

  @Test func `the CBOR examples of RFC 8949 have their values`() throws {
    for (hex, value) in Self.values {
      #expect(try CBOR(try bytes(hex)) == value, "\(hex)")
    }
  }

  @Test func `malformed or unsupported CBOR is refused`() throws {
    for (hex, fault) in Self.faults {
      let bytes = try bytes(hex)
      #expect(throws: fault, "\(hex)") { try CBOR(bytes) }
    }
  }

  private static let seed: UInt64 = 41

  /// Changes, cuts and extends valid data.
  @Test func `damaged data of passkeys never crashes the process`() throws {
    print("the seed of the readers of passkeys is \(Self.seed)")
    var chance = SeededChance(seed: Self.seed)
    let samples =
      try PasskeyVectors.signIns.map { try bytes($0.publicKey) }
      + [try bytes(PasskeyVectors.verified.attestation)]
    var accepted = 0
    for round in 0..<20_000 {
      var sample = samples[round % samples.count]
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        switch Int.random(in: 0..<4, using: &chance) {
        case 0 where !sample.isEmpty:
          sample[Int.random(in: 0..<sample.count, using: &chance)] ^= UInt8(
            1 << Int.random(in: 0..<8, using: &chance))
        case 1: sample = Array(sample.prefix(Int.random(in: 0...sample.count, using: &chance)))
        case 2: sample.append(UInt8.random(in: 0...255, using: &chance))
        default:
          sample.insert(
            UInt8.random(in: 0...255, using: &chance),
            at: Int.random(in: 0...sample.count, using: &chance))
        }
      }
      if let value = try? CBOR(sample) {
        accepted += 1
        _ = PasskeyKey(value)
        _ = value["authData"]?.bytes.flatMap(AuthenticatorData.init)
      }
      _ = AuthenticatorData(sample)
    }
    // Much of the damage changes only the bytes of a key, so that the data stays valid CBOR.
    #expect(accepted > 1_000)
  }
}

@Suite struct `A public key of a passkey` {
  private static let point =
    try? [UInt8](hexText: PasskeyVectors.signIns[0].publicKey).map { try CBOR($0) }

  @Test func `an unusable public key of a passkey is refused`() throws {
    guard case .map(let pairs)? = Self.point else {
      Issue.record("the vector is not a map")
      return
    }
    func key(_ changes: [Int64: CBOR?]) -> PasskeyKey? {
      var pairs = pairs
      for (name, value) in changes { pairs[.integer(name)] = value }
      return PasskeyKey(.map(pairs))
    }
    #expect(key([:]) != nil)
    for (name, changes) in [
      ("another key type", [1: .integer(1)]), ("ES384", [3: .integer(-35)]),
      ("no algorithm", [3: nil]), ("another curve", [-1: .integer(2)]),
      ("a point off the curve", [-2: .bytes(Array(repeating: 1, count: 32))]),
      ("a short point", [-2: .bytes([1])]), ("no point", [-3: nil]),
      ("a compressed point", [-3: .bool(true)]),
    ] as [(String, [Int64: CBOR?])] { #expect(key(changes) == nil, "\(name)") }
  }

  @Test func `an RSA key that is short or has an unusual exponent is refused`() {
    let modulus: [UInt8] = [0x80] + Array(repeating: 0xFF, count: 255)
    #expect(PublicKey.rsa(modulus: modulus, exponent: [1, 0, 1]) != nil)
    #expect(PublicKey.rsa(modulus: [0] + modulus, exponent: [0, 1, 0, 1]) != nil)
    for (modulus, exponent) in [
      (Array(modulus.dropLast()), [1, 0, 1]), (modulus, []), (modulus, [1]), (modulus, [1, 0, 0]),
      (modulus, [1, 0, 0, 0, 1]), (modulus.dropLast() + [0xFE], [1, 0, 1]),
      (Array(repeating: 0xFF, count: 1_024), [1, 0, 1]), ([], [1, 0, 1]),
    ] as [([UInt8], [UInt8])] {
      #expect(PublicKey.rsa(modulus: modulus, exponent: exponent) == nil)
    }
  }
}
