/// Rules about names, lengths and tracked files.
enum ShapeRules {
  private static let emptyWords: Set = [
    "Util", "Utils", "Utility", "Utilities", "Helper", "Helpers", "Common", "Manager", "Base",
    "Misc",
  ]

  /// Finds folders and files whose names have no meaning.
  ///
  /// NB: in `FileManager+Folders.swift` only `Folders` is our name; the rest is the extended type.
  static func emptyNames(_ file: SourceFile) -> [Finding] {
    for component in file.path.split(separator: "/") {
      let stem = component.split(separator: ".").first ?? component
      let ours = stem.split(separator: "+").last ?? stem
      if let word = words(of: String(ours)).first(where: emptyWords.contains) {
        let advice = "'\(word)' says nothing; name the noun it is about"
        return [Finding(path: file.path, line: nil, advice: advice)]
      }
    }
    return file.findings(
      in: \.code,
      matching:
        #/
        \b(?:class|struct|enum|protocol|actor|typealias)\s\w*
        (?:Utils?|Helpers?|Common|Manager|Base)\b
      /#
    ) { "'\($0)' says nothing; name the noun it is about" }
  }

  /// The words of a camel-case name. Digits belong to the preceding word.
  static func words(of name: String) -> [String] {
    name.matches(of: #/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/#).map { String($0.output) }
  }

  /// Limits the lines of one file.
  static func fileLength(_ file: SourceFile) -> [Finding] {
    guard file.lines.count > 501 else { return [] }
    let advice = "\(file.lines.count) lines, 500 are allowed; part it by noun"
    return [Finding(path: file.path, line: nil, advice: advice)]
  }

  /// Requires that nine files in ten are shorter than 300 lines.
  static func fileLengths(_ files: [SourceFile]) -> [Finding] {
    let long = files.filter { $0.lines.count > 301 }
    guard long.count * 10 > files.count else { return [] }
    return long.map {
      let advice = "over 300 lines, like \(long.count) of \(files.count) files; one in ten may"
      return Finding(path: $0.path, line: nil, advice: advice)
    }
  }

  /// Limits the columns of one line.
  static func lineLength(_ file: SourceFile) -> [Finding] {
    file.lines.enumerated().filter { $0.element.count > 100 }.map { index, line in
      let advice = "\(line.count) columns, 100 are allowed; swift format -i, comments by hand"
      return Finding(path: file.path, line: index + 1, advice: advice)
    }
  }

  /// An earlier release's data, which is tracked on purpose (docs/internals/golden-files.md).
  private static let goldenFiles = "Tests/Golden/"

  /// Finds tracked files that a build or a run creates.
  static func products(_ paths: [String]) -> [Finding] {
    let pattern =
      #/
      (?:^|/)(?:\.build[^/]*|DATA|\.data|DerivedData|__pycache__|\.venv)/
      |\.(?:o|a|so|dylib|swiftmodule|xctest|sqlite3?|db|sqlite-wal|sqlite-shm|pyc|pem|log)$
    /#
    return paths.filter { !$0.hasPrefix(goldenFiles) && $0.contains(pattern) }.map {
      let advice = "is made by building or running; git rm --cached it and add it to .gitignore"
      return Finding(path: $0, line: nil, advice: advice)
    }
  }
}
