import Foundation

/// The words of a text, as queries compare them (docs/internals/queries.md).
enum Tokens {
  /// Distinct tokens in UTF-8, without stop words.
  static func of(_ text: String) -> Set<[UInt8]> {
    var tokens: Set<[UInt8]> = []
    collect(text, into: &tokens)
    return tokens
  }

  static func collect(_ text: String, into tokens: inout Set<[UInt8]>) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      collectPlain(text, into: &tokens)
      return
    }
    let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: locale)
    var word = String.UnicodeScalarView()
    for scalar in folded.unicodeScalars {
      if isWordPart(scalar) {
        word.append(scalar)
      } else if !word.isEmpty {
        insert(Array(String(word).utf8), into: &tokens)
        word.removeAll(keepingCapacity: true)
      }
    }
    if !word.isEmpty { insert(Array(String(word).utf8), into: &tokens) }
  }

  /// The same for ASCII, whose folding is known.
  private static func collectPlain(_ text: String, into tokens: inout Set<[UInt8]>) {
    var word: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x61...0x7A: word.append(byte)
      case 0x41...0x5A: word.append(byte | 0x20)
      default:
        if !word.isEmpty { insert(word, into: &tokens) }
        word.removeAll(keepingCapacity: true)
      }
    }
    if !word.isEmpty { insert(word, into: &tokens) }
  }

  private static func insert(_ word: [UInt8], into tokens: inout Set<[UInt8]>) {
    if word.count <= stopWordBytesMax, stopWords.contains(word) { return }
    tokens.insert(word)
  }

  private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber,
      .otherNumber:
      true
    default: false
    }
  }

  private static let locale = Locale(identifier: "en_US_POSIX")
  private static let stopWordBytesMax = 5

  /// The stop list of `CKQuery`'s page (cloudkit-semantics §17).
  private static let stopWords = Set(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then \
    there these they this to was will with
    """.split(separator: " ").map { Array($0.utf8) })
}
