import Foundation
import StratusDomain
import Synchronization

/// What a text is to a query: its bytes, and its words.
enum NaiveText {
  /// −1, 0 or 1 by the UTF-8 bytes.
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

  /// Bytes of an index's strings that decide the order; what agrees so far may come either way.
  static let orderedBytes = 400

  /// Whether the order of two different texts is left open.
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
  /// The same few texts are asked for again and again.
  private static let known = Mutex<[ExactName: Set<ExactName>]>([:])

  /// The words of a text, folded, without stop words.
  static func words(of text: String) -> Set<ExactName> {
    let key = ExactName(text)
    if let words = known.withLock({ $0[key] }) { return words }
    let folded = text.folding(
      options: [.caseInsensitive, .diacriticInsensitive], locale: locale)
    var words: Set<ExactName> = []
    var word = String.UnicodeScalarView()
    func end() {
      if !word.isEmpty { words.insert(ExactName(String(word))) }
      word = String.UnicodeScalarView()
    }
    for scalar in folded.unicodeScalars {
      if isPartOfWord(scalar) { word.append(scalar) } else { end() }
    }
    end()
    words.subtract(stopWords)
    let result = words
    known.withLock { known in
      if known.count > 10_000 { known = [:] }
      known[key] = result
    }
    return result
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
