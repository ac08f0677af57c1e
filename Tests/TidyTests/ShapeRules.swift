/// Rules about names, lengths and tracked files.
enum ShapeRules {
  private static let emptyWords: Set = [
    "Util", "Utils", "Utility", "Utilities", "Helper", "Helpers", "Common", "Manager", "Base",
    "Misc",
  ]

  private static let emptyTypeName = Pattern(
    #/
      \b(?:class|struct|enum|protocol|actor|typealias)\s\w*
      (?:Utils?|Helpers?|Common|Manager|Base)\b
    /#, needles: ["Util", "Helper", "Common", "Manager", "Base"])

  /// Finds folders, files and types whose names have no meaning.
  ///
  /// NB: in `FileManager+Folders.swift`, only `Folders` is checked. The rest is the name of the
  /// extended type.
  static func emptyNames(_ file: SourceFile) -> [Finding] {
    for component in file.path.split(separator: "/") {
      let stem = component.split(separator: ".").first ?? component
      let ours = stem.split(separator: "+").last ?? stem
      guard emptyWords.contains(where: ours.contains) else { continue }
      if let word = words(of: String(ours)).first(where: emptyWords.contains) {
        let advice = "'\(word)' has no meaning; use a noun that names the subject"
        return [Finding(path: file.path, line: nil, advice: advice)]
      }
    }
    return file.findings(in: \.code, matching: emptyTypeName) {
      "'\($0)' has no meaning; use a noun that names the subject"
    }
  }

  /// The words of a camel-case name. Digits belong to the word before them. After several
  /// capitals, they begin a new word (`SHA`, `256`).
  static func words(of name: String) -> [String] {
    name.matches(of: #/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/#).map { String($0.output) }
  }

  /// Limits the number of lines of a file.
  static func fileLength(_ file: SourceFile) -> [Finding] {
    guard file.lines.count > 501 else { return [] }
    let advice = "\(file.lines.count) lines, 500 are allowed; split the file by subject"
    return [Finding(path: file.path, line: nil, advice: advice)]
  }

  /// Requires that nine files in ten have at most 300 lines.
  static func fileLengths(_ files: [SourceFile]) -> [Finding] {
    let long = files.filter { $0.lines.count > 301 }
    guard long.count * 10 > files.count else { return [] }
    return long.map {
      let advice = "over 300 lines, like \(long.count) of \(files.count) files; 1 in 10 is allowed"
      return Finding(path: $0.path, line: nil, advice: advice)
    }
  }

  /// Limits the number of columns of a line.
  static func lineLength(_ file: SourceFile) -> [Finding] {
    (0..<file.lines.count).compactMap { line in
      // NB: a line has at least as many bytes as columns.
      guard file.lines.range(of: line).count > 100 else { return nil }
      let columns = file.lines[line].count
      let advice = "\(columns) columns, 100 are allowed; run swift format -i, wrap comments"
      return columns > 100 ? Finding(path: file.path, line: line + 1, advice: advice) : nil
    }
  }

  /// Data that an earlier release wrote. Git tracks it on purpose (docs/internals/golden-files.md).
  private static let goldenFiles = "Tests/Golden/"

  /// Finds tracked files that a build or a run of the programs creates.
  static func products(_ paths: [String]) -> [Finding] {
    let pattern =
      #/
      (?:^|/)(?:\.build[^/]*|DATA|\.data|DerivedData|__pycache__|\.venv)/
      |\.(?:o|a|so|dylib|swiftmodule|xctest|sqlite3?|db|sqlite-wal|sqlite-shm|pyc|pem|log)$
    /#
    return paths.filter { !$0.hasPrefix(goldenFiles) && $0.contains(pattern) }.map {
      let advice = "was created by a build or a run; git rm --cached it and add it to .gitignore"
      return Finding(path: $0, line: nil, advice: advice)
    }
  }
}
