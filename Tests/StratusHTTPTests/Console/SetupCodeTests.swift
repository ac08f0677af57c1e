import Testing

@testable import StratusAccounts

@Suite struct `Setup codes` {
  private let made = SetupCode.make { count in (0..<count).map { UInt8($0 * 7 & 255) } }

  @Test func `a code has four groups of four digits`() {
    #expect(made.text.wholeMatch(of: /(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
  }

  @Test func `a code is accepted as people type it`() {
    #expect(made.code.accepts(made.text))
    #expect(made.code.accepts(made.text.lowercased()))
    #expect(made.code.accepts(made.text.replacing("-", with: " ")))
    #expect(made.code.accepts(made.text.replacing("0", with: "O").replacing("1", with: "l")))
  }

  @Test func `another text is refused`() {
    #expect(!made.code.accepts(""))
    #expect(!made.code.accepts(String(made.text.dropLast())))
    #expect(!made.code.accepts(String(repeating: "-", count: 65) + made.text))
  }

  @Test func `a code that has ended is refused`() {
    made.code.end()
    #expect(!made.code.accepts(made.text))
  }
}
