import Foundation
import StratusWire

/// The words of a text, as queries compare them (docs/internals/queries.md).
enum Tokens {
  /// Returns the distinct tokens of a record's text, in UTF-8, without stop words.
  static func of(_ text: String) -> Set<[UInt8]> {
    var tokens: Set<[UInt8]> = []
    collect(text, into: &tokens)
    return tokens
  }

  /// Adds the tokens of a text in order, until there are ``Limits/wordsPerFieldMax`` tokens.
  static func collect(_ text: String, into tokens: inout Set<[UInt8]>) {
    split(text) { piece in
      switch piece {
      case .word(let word): insert(word, into: &tokens)
      case .run(let scalars):
        for (index, scalar) in scalars.enumerated() {
          insert(bytes(of: [scalar]), into: &tokens)
          if index > 0 { insert(bytes(of: scalars[index - 1...index]), into: &tokens) }
        }
      }
      return tokens.count < Limits.wordsPerFieldMax
    }
  }

  /// Returns the words that a query searches. Each word is a list of tokens that a record must
  /// have: one token, or, in a script without spaces, each pair of neighbouring letters.
  static func words(of text: String) -> Set<[[UInt8]]> {
    var words: Set<[[UInt8]]> = []
    split(text) { piece in
      switch piece {
      case .word(let word): if !isStopWord(word) { words.insert([word]) }
      case .run(let scalars):
        let pairs = scalars.indices.dropFirst().map { bytes(of: scalars[$0 - 1...$0]) }
        words.insert(pairs.isEmpty ? [bytes(of: scalars[...])] : pairs)
      }
      // One word more than a query may have is enough to reject the query.
      return words.count <= Limits.queryWordsMax
    }
    return words
  }

  private enum Piece {
    case word([UInt8])
    /// Letters of a script that does not separate words.
    case run([Unicode.Scalar])
  }

  /// - Parameter take: receives each piece in order, and returns whether it needs more pieces.
  private static func split(_ text: String, _ take: (Piece) -> Bool) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      splitPlain(text, take)
      return
    }
    let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: locale)
    var piece: [Unicode.Scalar] = []
    var isRun = false
    func end() -> Bool {
      if piece.isEmpty { return true }
      defer { piece.removeAll(keepingCapacity: true) }
      return take(isRun ? .run(piece) : .word(bytes(of: piece[...])))
    }
    for scalar in folded.unicodeScalars {
      guard isWordPart(scalar) else {
        if !end() { return }
        continue
      }
      if isUnspaced(scalar) != isRun {
        if !end() { return }
        isRun.toggle()
      }
      piece.append(scalar)
    }
    _ = end()
  }

  /// Splits ASCII text, which needs no Unicode rules.
  private static func splitPlain(_ text: String, _ take: (Piece) -> Bool) {
    var word: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x61...0x7A: word.append(byte)
      case 0x41...0x5A: word.append(byte | 0x20)
      default:
        if !word.isEmpty, !take(.word(word)) { return }
        word.removeAll(keepingCapacity: true)
      }
    }
    if !word.isEmpty { _ = take(.word(word)) }
  }

  private static func bytes(of scalars: ArraySlice<Unicode.Scalar>) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in scalars { bytes.append(contentsOf: String(scalar).utf8) }
    return bytes
  }

  /// Whether a letter belongs to a script that does not put spaces between words.
  ///
  /// Choice: these are Thai, Lao, Burmese, Khmer, Chinese characters, and Japanese kana. Korean
  /// script separates words.
  private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF,
      0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F,
      0x20000...0x3FFFF:
      true
    default: false
    }
  }

  private static func insert(_ word: [UInt8], into tokens: inout Set<[UInt8]>) {
    if !isStopWord(word), tokens.count < Limits.wordsPerFieldMax { tokens.insert(word) }
  }

  private static func isStopWord(_ word: [UInt8]) -> Bool {
    word.count <= stopWordBytesMax && stopWords.contains(word)
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

  /// The stop list of the `CKQuery` page.
  private static let stopWords = Set(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then \
    there these they this to was will with
    """.split(separator: " ").map { Array($0.utf8) })
}
