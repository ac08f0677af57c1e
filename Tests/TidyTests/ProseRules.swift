/// Rules about the English of documents.
enum ProseRules {
  /// The maximum number of words in a sentence. A reader has to read a longer sentence twice.
  static let wordsMax = 40

  private static let patterns: [(Pattern<Substring>, advice: String)] = [
    (
      Pattern(
        #/(?:^|[.;:,(]\s)[Ww]ho\s|\b(?:of|for|by|to|from|with|that)\swho\b/#,
        needles: ["who", "Who"]), "name the actor"
    ),
    (
      Pattern(
        #/\b(?:nobody|somebody|everybody|anybody)\b/#, ignoresCase: true,
        needles: ["nobody", "somebody", "everybody", "anybody"]), "name the actor"
    ),
    (
      Pattern(
        #/
          \b(?:for\sever|befall\w*|anew|at\shand|hither|thence|whereof|lest|naught|must\sneeds)\b
        /#,
        needles: [
          "ever", "befall", "anew", "hand", "hither", "thence", "whereof", "lest", "naught",
          "needs",
        ]), "use today's word"
    ),
    (
      Pattern(
        #/\b(?:nudg\w+|doomed|courier|parcel|errand\w*|onlooker\w*|stranger\w*|sees\sto\sit)\b/#,
        needles: [
          "nudg", "doomed", "courier", "parcel", "errand", "onlooker", "stranger", "sees",
        ]), "use the standard term (docs/GLOSSARY.md)"
    ),
    (
      Pattern(#/\b(?:is|are|was|were|be|being|been)\stold\b/#, needles: ["told"]),
      "say which signal or answer"
    ),
    (
      Pattern(
        #/(?:^|[.;:]\s)(?:Not\sso|So\sit\sis|Nor\s(?:is|are|does|do|will)|Of\swhich)\b/#,
        needles: ["Not", "So", "Nor", "Of"]), "put the subject first"
    ),
  ]

  /// Finds words that have a plainer alternative, and subjects that do not name the actor.
  static func words(_ document: Document) -> [Finding] {
    patterns.flatMap { pattern, advice in
      document.prose.matches(of: pattern).map { line, output in
        Finding(
          path: document.path, line: line + 1, advice: "'\(output.trimmed)': \(advice)")
      }
    }
  }

  /// Finds sentences that are too long to be understood at first reading.
  static func sentences(_ document: Document) -> [Finding] {
    document.passages.flatMap { passage in
      sentences(of: passage.text).filter { $0.count > wordsMax }.map { words in
        let begin = words.prefix(6).joined(separator: " ")
        return Finding(
          path: document.path, line: passage.line,
          advice: "\(words.count) words from '\(begin) …', not \(wordsMax): make it two sentences")
      }
    }
  }

  private static let target = Pattern(#/\]\([^)]*\)/#, needles: ["]("])

  /// The words of each sentence. A colon or a semicolon ends a sentence, too.
  private static func sentences(of text: String) -> [[Substring]] {
    var sentences: [[Substring]] = [[]]
    let words = target.replacing(in: text) { _ in "]" }.utf8.split(separator: UInt8(ascii: " "))
    for word in words.map(Substring.init) {
      sentences[sentences.count - 1].append(word)
      if let last = word.last, ".!?;:".contains(last) { sentences.append([]) }
    }
    return sentences
  }
}
