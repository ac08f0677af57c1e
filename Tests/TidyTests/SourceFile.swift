import Foundation

/// A source file of the project, in the form in which the rules check it.
struct SourceFile {
  /// The path from the package's root, for example `Sources/StratusWire/Endpoint.swift`.
  let path: String
  let lines: TextLines
  /// The lines of code without comments and without the contents of strings.
  let code: TextLines
  /// The text of the comments in each line.
  let comments: TextLines
  /// The contents of the string literals in each line.
  let strings: TextLines

  init(path: String, text: String) { self.init(path: path, utf8: Array(text.utf8)) }

  init(path: String, utf8 text: [UInt8]) {
    self.path = path
    let scanner = SourceScanner(text)
    lines = TextLines(text)
    code = scanner.code
    comments = scanner.comments
    strings = scanner.strings
  }

  /// The top folder: `Sources`, `Tests`, `Examples`, `Benches` or `Simulation`. Empty for a file at
  /// the root.
  var area: String { folders.count > 1 ? folders[0] : "" }

  /// The target, for example `StratusWire`. Empty for a file at the root.
  var module: String { folders.count > 2 ? folders[1] : "" }

  /// Whether the file is part of a shipped target. Tests, benches, examples and simulations are not
  /// shipped. The modules `StratusTesting` and `StratusConformance`, which serve tests, count as
  /// not shipped.
  var ships: Bool {
    area == "Sources" && module != "StratusTesting" && module != "StratusConformance"
  }

  private var folders: [String] { path.split(separator: "/").map(String.init) }
}

/// A line that breaks a rule, and advice for the author.
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
  /// Returns a finding for every line that contains a match of a pattern.
  func findings(
    in lines: KeyPath<SourceFile, TextLines>, matching pattern: Pattern<Substring>,
    advice: (Substring) -> String
  ) -> [Finding] {
    self[keyPath: lines].matches(of: pattern).map { line, output in
      Finding(path: path, line: line + 1, advice: advice(output))
    }
  }
}
