/// A regular expression, and texts of which each match contains at least one.
///
/// A search for a text is many times as fast as a regular expression. So only the lines that
/// contain one of the texts meet the regular expression.
struct Pattern<Output>: Sendable {
  let needles: Needles
  /// Whether the needles are in lower case and stand for any case.
  let ignoresCase: Bool
  /// NB: a regular expression is not `Sendable`, because it may contain parsers of other types.
  /// Those of literals contain none. The initializer compiles the expression, so that it does not
  /// change afterwards.
  nonisolated(unsafe) private let regex: Regex<Output>

  /// - Parameters:
  ///   - regex: the regular expression.
  ///   - needles: one or more texts for each alternative of the regular expression. `BadSamples`
  ///     has a sample of each alternative, so that a missing text is found.
  init(_ regex: Regex<Output>, ignoresCase: Bool = false, needles: Needles) {
    self.needles = needles
    self.ignoresCase = ignoresCase
    // NB: by default, a regular expression takes `now.time` for one word, as in prose.
    let regex = regex.wordBoundaryKind(.simple)
    self.regex = ignoresCase ? regex.ignoresCase() : regex
    _ = firstMatch(in: "")
  }

  /// The first match in a text, whether or not the text contains a needle.
  func firstMatch(in text: String) -> Regex<Output>.Match? { try? regex.firstMatch(in: text) }

  /// All matches in a text, whether or not the text contains a needle.
  func matches(in text: String) -> [Regex<Output>.Match] { text.matches(of: regex) }

  /// The text with each match replaced.
  func replacing(in text: String, with replacement: (Output) -> String) -> String {
    text.replacing(regex) { replacement($0.output) }
  }
}

extension TextLines {
  /// The first match of a pattern in each line that has a match.
  func matches<Output>(
    of pattern: Pattern<Output>
  ) -> [(line: Int, output: Output)] {
    let searched = pattern.ignoresCase ? lowercased : self
    return searched.indices(containing: pattern.needles).compactMap { line in
      pattern.firstMatch(in: self[line]).map { (line, $0.output) }
    }
  }

  /// The first match of a pattern in a line. The pattern does not ignore case.
  func firstMatch<Output>(of pattern: Pattern<Output>, in line: Int) -> Output? {
    guard self.line(line, contains: pattern.needles) else { return nil }
    return pattern.firstMatch(in: self[line])?.output
  }
}
