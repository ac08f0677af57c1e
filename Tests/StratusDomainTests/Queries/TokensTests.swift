import Testing

@testable import StratusDomain

/// The words of a text.
@Suite struct TokensOfText {
  private func words(_ text: String) -> Set<String> {
    Set(Tokens.of(text).map { String(decoding: $0, as: UTF8.self) })
  }

  @Test func `case and accents fall away`() {
    #expect(words("Caf\u{E9} CAFE\u{301} \u{C5}ngstr\u{F6}m") == ["cafe", "angstrom"])
  }

  @Test func `all that is no letter, mark or number parts words`() {
    #expect(words("state-of_the/art: 3.14, x2") == ["state", "art", "3", "14", "x2"])
    #expect(words("\u{65E5}\u{672C}\u{3001}\u{8A9E}") == ["\u{65E5}\u{672C}", "\u{8A9E}"])
  }

  @Test func `stop words are none`() {
    let list =
      "a an and are as at be but by for if in into is it no not of on or such that the their then "
      + "there these they this to was will with"
    #expect(words(list).isEmpty)
    #expect(words(list.uppercased()).isEmpty)
    #expect(words("from") == ["from"])
    #expect(words(" \u{2014} ").isEmpty)
  }
}
