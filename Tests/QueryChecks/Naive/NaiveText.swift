import Foundation
import StratusDomain
import Synchronization

/// Comparisons of texts by their bytes, and the words of a text.
enum NaiveText {
  /// Compares the UTF-8 bytes of two texts: −1, 0 or 1.
  static func compare(_ left: String, _ right: String) -> Int {
    var (rest, other) = (left.utf8.makeIterator(), right.utf8.makeIterator())
    while true {
      switch (rest.next(), other.next()) {
      case (nil, nil): return 0
      case (nil, _): return -1
      case (_, nil): return 1
      case (let byte?, let otherByte?) where byte != otherByte: return byte < otherByte ? -1 : 1
      case (_?, _?): continue
      }
    }
  }

  static func begins(_ text: String, with prefix: String) -> Bool {
    text.utf8.starts(with: prefix.utf8)
  }

  static func ends(_ text: String, with suffix: String) -> Bool {
    text.utf8.reversed().starts(with: suffix.utf8.reversed())
  }

  static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    if part.isEmpty { return true }
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }

  /// An index sorts texts by this number of their first bytes. Texts with the same first bytes may
  /// come in either order.
  static let orderedBytes = 400

  /// Whether the order of two different texts is undefined.
  static func isOrderOpen(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8.prefix(orderedBytes), right.utf8.prefix(orderedBytes))
    return left.count == orderedBytes && left.elementsEqual(right)
  }

  private static let stopWords = Set(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then \
    there these they this to was will with
    """.split(separator: " ").map { ExactName(String($0)) })

  private static let locale = Locale(identifier: "en_US_POSIX")
  /// A cache: the words of each text that was split before.
  private static let known = Mutex<[ExactName: Set<ExactName>]>([:])

  /// The words of a text in folded form, without stop words. In a script without spaces, each
  /// letter and each pair of adjacent letters is a word.
  static func words(of text: String) -> Set<ExactName> {
    let key = ExactName(text)
    if let words = known.withLock({ $0[key] }) { return words }
    var words: Set<ExactName> = []
    for piece in pieces(of: text) {
      words.insert(ExactName(piece))
      guard let first = piece.unicodeScalars.first, isUnspaced(first) else { continue }
      words.remove(ExactName(piece))
      words.formUnion(piece.unicodeScalars.map { ExactName(String($0)) })
      words.formUnion(pairs(of: piece))
    }
    words.subtract(stopWords)
    let result = words
    known.withLock { known in
      if known.count > 10_000 { known = [:] }
      known[key] = result
    }
    return result
  }

  /// The words of a query's text. Each word is a set of tokens. A record contains the word if it
  /// contains all tokens of the set.
  static func wanted(by text: String) -> Set<Set<ExactName>> {
    var wanted: Set<Set<ExactName>> = []
    for piece in pieces(of: text) where !stopWords.contains(ExactName(piece)) {
      let isRun = piece.unicodeScalars.first.map(isUnspaced) ?? false
      wanted.insert(
        isRun && piece.unicodeScalars.count > 1 ? pairs(of: piece) : [ExactName(piece)])
    }
    return wanted
  }

  private static func pairs(of run: String) -> Set<ExactName> {
    let scalars = run.unicodeScalars.map { String($0) }
    return Set(zip(scalars, scalars.dropFirst()).map { ExactName($0 + $1) })
  }

  /// Splits a text at all characters that cannot be part of a word, and where a script with spaces
  /// between words meets a script without them.
  private static func pieces(of text: String) -> [String] {
    let folded = text.folding(
      options: [.caseInsensitive, .diacriticInsensitive], locale: locale)
    var pieces: [String] = []
    var piece = String.UnicodeScalarView()
    func end() {
      if !piece.isEmpty { pieces.append(String(piece)) }
      piece = String.UnicodeScalarView()
    }
    for scalar in folded.unicodeScalars {
      guard isPartOfWord(scalar) else {
        end()
        continue
      }
      if let last = piece.last, isUnspaced(last) != isUnspaced(scalar) { end() }
      piece.append(scalar)
    }
    end()
    return pieces
  }

  /// Whether a letter is Thai, Lao, Burmese, Khmer, Chinese or Japanese.
  private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    let scripts: [ClosedRange<UInt32>] = [
      0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF,
      0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F,
      0x20000...0x3FFFF,
    ]
    return scripts.contains { $0.contains(scalar.value) }
  }

  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }
}
