import StratusDomain
import Testing

@testable import StratusAccounts

@Suite struct `Codes of an authenticator app` {
  private static let secret = Array("12345678901234567890".utf8)

  /// RFC 6238, appendix B, for SHA-1.
  @Test(
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"),
      (1_234_567_890, "89005924"), (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ] as [(Int64, String)])
  func `time codes have the values of RFC 6238`(seconds: Int64, expected: String) {
    let step = TimeCode.step(at: seconds * 1_000)
    #expect(TimeCode.code(secret: Self.secret, step: step, digits: 8) == expected)
    let six = String(expected.suffix(6))
    #expect(TimeCode.code(secret: Self.secret, step: step) == six)
    #expect(TimeCode.step(of: six, secret: Self.secret, now: seconds * 1_000) == step)
  }

  @Test func `a time code is also valid in the step before and the step after its own`() {
    let now: Int64 = 1_111_111_109_000
    let step = TimeCode.step(at: now)
    for offset in Int64(-3)...3 {
      let code = TimeCode.code(secret: Self.secret, step: step + offset)
      let found = TimeCode.step(of: code, secret: Self.secret, now: now)
      #expect(found == (abs(offset) <= 1 ? step + offset : nil))
    }
  }

  @Test(arguments: ["", "12345", "1234567", "abcdef", "٠٨١٨٠٤"])
  func `a text that is not six digits is not a time code`(text: String) {
    #expect(TimeCode.step(of: text, secret: Self.secret, now: 1_111_111_109_000) == nil)
  }

  /// RFC 4648, section 10, without padding.
  @Test(arguments: [
    ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
    ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
  ])
  func `base32 has the values of RFC 4648`(text: String, expected: String) {
    #expect(Base32.encode(Array(text.utf8)) == expected)
  }

  @Test func `the URL for an authenticator app names the server and the account`() {
    #expect(
      TimeCode.url(secret: Self.secret, email: "anna+1@example.org", issuer: "cloud.example.org")
        == "otpauth://totp/cloud%2Eexample%2Eorg:anna%2B1%40example%2Eorg"
        + "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=cloud%2Eexample%2Eorg")
  }

  @Test func `a sealed secret opens only unchanged, with its key and under its own name`() throws {
    let key = SigningKey(id: 7, bytes: Array(repeating: 1, count: 32))
    let seal = SecretSeal(keys: [key])
    let sealed = try seal.seal([1, 2, 3], at: "factor a", nonce: Array(repeating: 9, count: 12))
    #expect(seal.open(sealed, at: "factor a") == [1, 2, 3])
    #expect(seal.open(sealed, at: "factor b") == nil)
    let other = SecretSeal(keys: [SigningKey(id: 7, bytes: Array(repeating: 2, count: 32))])
    #expect(other.open(sealed, at: "factor a") == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(seal.open(changed, at: "factor a") == nil)
    }
    for count in sealed.indices {
      #expect(seal.open(Array(sealed.prefix(count)), at: "factor a") == nil)
    }
  }
}
