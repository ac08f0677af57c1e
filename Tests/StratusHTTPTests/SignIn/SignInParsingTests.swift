import Foundation
import StratusDomain
import StratusTesting
import Testing

@testable import StratusAccounts
@testable import StratusHTTP

/// The parsers and the sealed texts of sign-in, with fixed and with random input.
@Suite struct `The parsers of sign-in` {
  private static let seed: UInt64 = 23

  @Test func `the fields of a form are read, and a malformed form is refused`() {
    let fields = FormText.fields("a=1&b=x+y%26%C3%A4&a=2&c&d=&=e&&".utf8)
    #expect(fields == ["a": "1", "b": "x y&ä", "c": "", "d": "", "": "e"])
    #expect(FormText.fields("".utf8) == [:])
    for wrong in ["a=%", "a=%1", "a=%g0", "%zz=1", "a=%C3"] {
      #expect(FormText.fields(wrong.utf8) == nil, "\(wrong)")
    }
  }

  @Test func `the cookies of a Cookie header are read`() {
    #expect(
      CookieText.cookies("a=1; b=x=y;c=;d; =e;  f=\"g\"; a=2")
        == ["a": "1", "b": "x=y", "c": "", "f": "\"g\""])
    #expect(CookieText.cookies(nil) == [:])
  }

  @Test func `the parsers of sign-in accept any bytes without a crash`() {
    var chance = SeededChance(seed: Self.seed)
    let alphabet = Array("a=&+%;0fF \u{0}é".utf8) + [0xFF, 0xC3]
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &chance)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &chance)]
      }
      _ = FormText.fields(bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      _ = CookieText.cookies(text)
      _ = PasswordHash(text: text)
      #expect(PageSeal(secrets: [[1]]).open(text, for: .form) == nil)
    }
  }

  @Test func `a sealed text opens only for the same use and with the same key`() {
    let seal = PageSeal(secrets: [[UInt8](repeating: 7, count: 32)])
    let sealed = seal.seal("anna ☕️", for: .browser)
    #expect(seal.open(sealed, for: .browser) == "anna ☕️")
    #expect(seal.open(sealed, for: .signInRequest) == nil)
    #expect(PageSeal(secrets: [[8]]).open(sealed, for: .browser) == nil)
    let characters = Array(sealed)
    for index in characters.indices {
      var altered = characters
      altered[index] = altered[index] == "A" ? "B" : "A"
      guard altered != characters else { continue }
      #expect(seal.open(String(altered), for: .browser) == nil, "altered at \(index)")
    }
  }

  @Test func `a stored scrypt hash is read, and a malformed hash is refused`() throws {
    // RFC 7914, section 12: scrypt ("password", "NaCl", 1024, 8, 16) begins with these 32 bytes.
    let text =
      "$scrypt$ln=10,r=8,p=16$TmFDbAAAAAA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWI"
    let known = try #require(PasswordHash(text: text))
    #expect(known.text == text)
    #expect(known.cost == PasswordHash.Cost(logRounds: 10, blockSize: 8, parallelism: 16))
    for wrong in [
      "", "$scrypt$", text + "$", text.replacing("ln=10", with: "ln=31"),
      text.replacing("ln=10", with: "ln=0"), text.replacing("scrypt", with: "argon2id"),
      text.replacing("$TmFDbAAAAAA", with: "$TmFD"), text + "=", String(text.dropLast(30)),
      text.replacing("r=8,", with: ""), String(text.dropFirst()),
    ] {
      #expect(PasswordHash(text: wrong) == nil, "\(wrong)")
    }
  }

  @Test func `the scrypt hash of a password agrees with the example in RFC 7914`() throws {
    let salt = Array("NaCl".utf8)
    let hash = try PasswordHash(
      of: "password", salt: salt,
      cost: PasswordHash.Cost(logRounds: 10, blockSize: 8, parallelism: 16))
    #expect(hash.hash.prefix(8) == [0xfd, 0xba, 0xbe, 0x1c, 0x9d, 0x34, 0x72, 0x00])
    #expect(try hash.matches("password"))
    #expect(try !hash.matches("Password"))
  }
}

@Suite struct `The rules for new passwords` {
  /// The most frequent passwords of published lists, with eight or more characters.
  @Test(arguments: [
    "12345678", "1234567890", "87654321", "11223344", "password", "passw0rd", "P@ssw0rd!",
    "password123", "qwerty123", "qwertyuiop", "qwer1234", "1234qwer", "asdf1234", "zxcvbnm1",
    "1qaz2wsx", "1QAZ2wsx", "!QAZ2wsx", "1qaz@WSX", "1q2w3e4r", "1q2w3e4r5t", "q1w2e3r4",
    "q1w2e3r4t5", "zaq12wsx", "zaq1xsw2", "1qazxsw2", "2wsx3edc", "qazwsxedc", "1a2b3c4d",
    "a1b2c3d4", "abcd1234", "abc12345", "aa123456", "qwe123rty", "1qaz1qaz", "zaq1zaq1",
    "asdfghjkl", "azerty123", "qwertz123", "trustno1", "iloveyou1", "sunshine1", "football1",
    "baseball", "jennifer", "samantha", "elephant", "corvette", "marlboro", "scorpion", "midnight",
    "bigdaddy", "letmein123", "welcome1", "Welcome2026!", "admin123", "Summer2026", "charlie1",
    "princess1", "computer", "starwars", "whatever", "!@#$%^&*", "qweasdzxc", "asdasdasd",
  ])
  func `A password that is frequent in published lists is refused`(password: String) {
    #expect(PasswordRules.fault(of: password, email: "anna@example.org") != nil)
  }

  /// Passwords at places 1 to 4,000 of published lists. No other rule refuses them.
  @Test(arguments: [
    "maverick", "hardcore", "Brooklyn", "michigan", "4815162342", "rush2112", "motorola",
    "wolverin", "01011980", "MARYJANE",
  ])
  func `A password is refused if it is one of the most frequent ones`(password: String) {
    #expect(FrequentPasswords.prefixes.count == 4_000)
    #expect(PasswordRules.fault(of: password, email: "anna@example.org") != nil)
  }

  /// OWASP ASVS 6.1.2 and 6.2.11: `docs/internals/signin.md` lists these words.
  @Test(arguments: GuessedPasswords.productWords)
  func `A password that names the product or its use is refused`(word: String) {
    for password in ["\(word)2026!", "\(word.capitalized)_12345", "\(word)\(word)"] {
      #expect(PasswordRules.fault(of: password, email: "anna@example.org") != nil, "\(password)")
    }
  }

  @Test(arguments: [
    "tree were seven", "correct horse battery", "x7#kLm2p", "Fr3itag-Abend", "mein rotes Fahrrad",
    "wasserdichte Uhr", "gh4-tq9-zu2", "polyester9kilo", "7 Zwerge im Tal",
  ])
  func `A password outside the lists and patterns is accepted`(password: String) {
    #expect(PasswordRules.fault(of: password, email: "anna@example.org") == nil)
  }
}

@Suite struct `The pool of password hashes` {
  @Test
  func `the password pool refuses callers when its queue is full, and serves the waiting callers`()
    async throws
  {
    let pool = PasswordPool(runningMax: 1, waitingMax: 2)
    let (gate, opened) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        try await pool.run {
          opened.signal()
          gate.wait()
          return 0
        }
      }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          opened.wait()
          continuation.resume()
        }
      }
      for number in 1...2 { group.addTask { try await pool.run { number } } }
      while pool.waitingCount < 2 { await Task.yield() }
      await #expect(throws: ServerError.self) { try await pool.run { 3 } }
      gate.signal()
      var results: Set<Int> = []
      for try await result in group { results.insert(result) }
      #expect(results == [0, 1, 2])
    }
  }
}
