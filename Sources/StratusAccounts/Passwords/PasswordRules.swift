import StratusDomain

/// The rules for new passwords (OWASP ASVS 5.0, 6.2). A password has a minimum and a maximum
/// length, may contain any characters, and must not be easy to guess.
enum PasswordRules {
  static let lengthMin = 8
  static let lengthMax = 256

  /// Returns a sentence that tells the user why a password is refused, or nil if it is allowed.
  static func fault(of password: String, email: String) -> String? {
    if password.count < lengthMin {
      return "Use at least \(lengthMin) characters. A sentence of several words is good."
    }
    if password.count > lengthMax || password.utf8.count > 4 * lengthMax {
      return "Use at most \(lengthMax) characters."
    }
    let lower = password.lowercased()
    if isCommon(lower) || FrequentPasswords.contains(lower) {
      return "This password is one of the first that others guess."
    }
    if isPattern(lower) { return "This password is a simple pattern. Use something less regular." }
    if lower.contains(email.lowercased()) { return "Do not use your own address as the password." }
    let name = String(email.lowercased().prefix { $0 != "@" })
    if name.count >= 4, lower.contains(name), lower.count - name.count < 6 {
      return "Do not use your own address as the password."
    }
    return nil
  }

  /// Refuses a password that may not be used.
  ///
  /// - Throws: `BAD_REQUEST` with the sentence of ``fault(of:email:)``.
  static func require(_ password: String, email: String) throws(ServerError) {
    if let fault = fault(of: password, email: email) { throw .badRequest(fault) }
  }

  /// Whether a password consists of one or two common words, with digits and punctuation around
  /// them.
  private static func isCommon(_ lower: String) -> Bool {
    let inner = core(lower)
    for core in [inner, core(plain(inner)), core(plain(lower))] {
      if GuessedPasswords.words.contains(core) { return true }
      for end in core.indices.dropFirst() {
        let (first, rest) = (String(core[..<end]), String(core[end...]))
        if GuessedPasswords.words.contains(first), GuessedPasswords.words.contains(rest) {
          return true
        }
      }
    }
    return false
  }

  /// Returns the text without the digits and punctuation at both ends.
  private static func core(_ text: String) -> String {
    let letters = text.drop { !$0.isLetter }
    return String(letters.reversed().drop { !$0.isLetter }.reversed())
  }

  /// Replaces digits and punctuation by the letters for which they often stand.
  private static func plain(_ lower: String) -> String {
    String(lower.map { GuessedPasswords.substitutes[$0] ?? $0 })
  }

  /// Whether a password has at most three different characters, repeats a part of up to four
  /// characters, or follows a keyboard or the alphabet. The password may also alternate between two
  /// such sequences. An example is `a1b2c3d4`.
  private static func isPattern(_ lower: String) -> Bool {
    let characters = lower.map { GuessedPasswords.digits[$0] ?? $0 }
    if Set(characters).count <= 3 || isWalk(characters[...]) { return true }
    let turns = (0...1).map { first in
      stride(from: first, to: characters.count, by: 2).map { characters[$0] }
    }
    if turns.allSatisfy({ isWalk($0[...]) }) { return true }
    return (1...4).contains { length in
      characters.count.isMultiple(of: length) && characters.count / length > 1
        && zip(characters, characters.dropFirst(length)).allSatisfy { $0 == $1 }
    }
  }

  /// Whether at least three quarters of the characters are followed by the same character or by a
  /// neighbour on the keyboard or in the alphabet.
  private static func isWalk(_ characters: ArraySlice<Character>) -> Bool {
    let steps = zip(characters, characters.dropFirst()).count { first, second in
      first == second || GuessedPasswords.neighbours.contains([first, second])
    }
    return steps * 4 >= (characters.count - 1) * 3
  }
}
