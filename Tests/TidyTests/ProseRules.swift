/// Rules about the English of documents.
enum ProseRules {
  /// The maximum number of words in a sentence. A reader has to read a longer sentence twice.
  static let wordsMax = 40

  /// Finds words that have a plainer alternative, and subjects that do not name the actor.
  static func words(_ document: Document) -> [Finding] {
    let patterns: [(Regex<Substring>, String)] = [
      (#/(?:^|[.;:,(]\s)[Ww]ho\s|\b(?:of|for|by|to|from|with|that)\swho\b/#, "name the actor"),
      (#/\b(?:nobody|somebody|everybody|anybody)\b/#.ignoresCase(), "name the actor"),
      (
        #/\b(?:for\sever|befall\w*|anew|at\shand|hither|thence|whereof|lest|naught|must\sneeds)\b/#,
        "use today's word"
      ),
      (
        #/\b(?:nudg\w+|doomed|courier|parcel|errand\w*|onlooker\w*|stranger\w*|sees\sto\sit)\b/#,
        "use the standard term (docs/GLOSSARY.md)"
      ),
      (#/\b(?:is|are|was|were|be|being|been)\stold\b/#, "say which signal or answer"),
      (
        #/(?:^|[.;:]\s)(?:Not\sso|So\sit\sis|Nor\s(?:is|are|does|do|will)|Of\swhich)\b/#,
        "put the subject first"
      ),
    ]
    var findings: [Finding] = []
    for (index, line) in document.prose.enumerated() {
      for (pattern, advice) in patterns {
        guard let match = line.firstMatch(of: pattern.wordBoundaryKind(.simple)) else { continue }
        findings.append(
          Finding(
            path: document.path, line: index + 1,
            advice: "'\(match.output.trimmed)': \(advice)"))
      }
    }
    return findings
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

  /// The words of each sentence. A colon or a semicolon ends a sentence, too.
  private static func sentences(of text: String) -> [[Substring]] {
    var sentences: [[Substring]] = [[]]
    for word in text.replacing(#/\]\([^)]*\)/#, with: "]").split(separator: " ") {
      sentences[sentences.count - 1].append(word)
      if let last = word.last, ".!?;:".contains(last) { sentences.append([]) }
    }
    return sentences
  }
}
