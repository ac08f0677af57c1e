import StratusWire
import Testing

@testable import StratusDomain

/// The words by which token search finds a text.
@Suite struct TokensOfText {
  private func words(_ text: String) -> Set<String> {
    Set(Tokens.of(text).map { String(decoding: $0, as: UTF8.self) })
  }

  @Test func `the words of a text do not depend on case and accents`() {
    #expect(words("Caf\u{E9} CAFE\u{301} \u{C5}ngstr\u{F6}m") == ["cafe", "angstrom"])
  }

  @Test func `all characters except letters, marks and numbers separate words`() {
    #expect(words("state-of_the/art: 3.14, x2") == ["state", "art", "3", "14", "x2"])
  }

  @Test func `in scripts without spaces, single letters and pairs of letters are words`() {
    #expect(
      words("\u{65E5}\u{672C}\u{3001}\u{8A9E}")
        == ["\u{65E5}", "\u{672C}", "\u{65E5}\u{672C}", "\u{8A9E}"])
    #expect(words("x\u{65E5}y") == ["x", "\u{65E5}", "y"])
    #expect(words("\u{D55C}\u{AD6D}") == ["\u{D55C}\u{AD6D}"])
  }

  @Test func `a text has a limited number of words, and the words after the limit are ignored`() {
    let text = (0..<Limits.wordsPerFieldMax + 5).map { "w\($0)" }.joined(separator: " ")
    let found = words(text)
    #expect(found.count == Limits.wordsPerFieldMax)
    #expect(found.contains("w0"))
    #expect(!found.contains("w\(Limits.wordsPerFieldMax)"))
  }

  @Test func `stop words are ignored`() {
    let list =
      "a an and are as at be but by for if in into is it no not of on or such that the their then "
      + "there these they this to was will with"
    #expect(words(list).isEmpty)
    #expect(words(list.uppercased()).isEmpty)
    #expect(words("from") == ["from"])
    #expect(words(" \u{2014} ").isEmpty)
  }
}
