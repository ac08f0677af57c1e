import Foundation

/// One file of the project, as the rules look at it.
struct SourceFile {
  /// From the package's root: `Sources/StratusWire/Endpoint.swift`.
  let path: String
  let lines: [String]
  /// The lines with comments and the contents of strings blanked out.
  let code: [String]
  /// The text of comments, by line.
  let comments: [String]
  /// The contents of string literals, by line.
  let strings: [String]

  init(path: String, text: String) {
    self.path = path
    var scanner = SourceScanner()
    for character in text { scanner.take(character) }
    scanner.finish()
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    code = scanner.code
    comments = scanner.comments
    strings = scanner.strings
  }

  /// `Sources`, `Tests`, `Examples`, `Benches`; empty for a file at the root.
  var area: String { folders.count > 1 ? folders[0] : "" }

  /// The target: `StratusWire`; empty for a file at the root.
  var module: String { folders.count > 2 ? folders[1] : "" }

  /// Whether the file belongs to what ships, and not to tests, benches or examples.
  var ships: Bool {
    area == "Sources" && module != "StratusTesting" && module != "StratusConformance"
  }

  private var folders: [String] { path.split(separator: "/").map(String.init) }
}

/// A place that breaks a rule, and what to do about it.
struct Finding: CustomStringConvertible, Hashable {
  let path: String
  let line: Int?
  let advice: String

  var description: String {
    let place = line.map { "\(path):\($0)" } ?? path
    return "\(place): \(advice)"
  }
}

extension SourceFile {
  /// Returns a finding for every line that a pattern matches.
  func findings(
    in lines: KeyPath<SourceFile, [String]>, matching pattern: Regex<Substring>,
    advice: (Substring) -> String
  ) -> [Finding] {
    // NB: by default `now.time` is one word, as in prose.
    let pattern = pattern.wordBoundaryKind(.simple)
    var findings: [Finding] = []
    for (index, line) in self[keyPath: lines].enumerated() {
      guard let match = line.firstMatch(of: pattern) else { continue }
      findings.append(Finding(path: path, line: index + 1, advice: advice(match.output)))
    }
    return findings
  }
}
