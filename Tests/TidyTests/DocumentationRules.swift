/// Rules about documentation comments.
enum DocumentationRules {
  private static let modules: Set = ["StratusWire", "StratusKit"]

  /// Names of members that implement a protocol. The protocol documents them.
  private static let witnesses: Set = [
    "write", "encode", "hash", "isEqual", "copy", "mutableCopy", "makeIterator", "next", "index",
    "Request", "Response", "CodingKeys",
  ]

  private static let declaration = Pattern(
    #/
      ^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:public|open)\s(?:[a-z]+\s)*?
      (?:class|struct|enum|protocol|actor|func)\s+(?!var\b|func\b)(?:`?(\w+)`?)
    /#, needles: ["public", "open"])
  private static let conformingExtension = Pattern(
    #/^(?:@[^e]+\s)?extension\s[\w.]+(?:<.*>)?\s*:/#, needles: ["extension"])
  /// A line that may stand between a declaration and its documentation.
  private static let prefix = Pattern(#/^\s*(?:@|#if)/#, needles: ["@", "#if"])
  private static let documentation = Pattern(#/^\s*///\s?\S?/#, needles: ["///"])

  /// Finds public types and methods without a documentation comment of their own.
  static func missing(_ file: SourceFile) -> [Finding] {
    guard modules.contains(file.module) else { return [] }
    var findings: [Finding] = []
    var conformance = false
    for line in 0..<file.code.count {
      let first = file.code.first(of: line)
      if let first, first != UInt8(ascii: " "), first != UInt8(ascii: "}") {
        conformance = file.code.firstMatch(of: conformingExtension, in: line) != nil
      }
      guard !conformance, let match = file.code.firstMatch(of: declaration, in: line) else {
        continue
      }
      let name = String(match.1)
      guard !witnesses.contains(name), !file.code.line(line, contains: [" override "]),
        !isDocumented(line: line, in: file)
      else { continue }
      let advice = "'\(name)' is public; describe it with a sentence after ///"
      findings.append(Finding(path: file.path, line: line + 1, advice: advice))
    }
    return findings
  }

  private static func isDocumented(line: Int, in file: SourceFile) -> Bool {
    var above = line - 1
    while above >= 0, file.lines.firstMatch(of: prefix, in: above) != nil { above -= 1 }
    return above >= 0 && file.lines.firstMatch(of: documentation, in: above) != nil
  }
}
