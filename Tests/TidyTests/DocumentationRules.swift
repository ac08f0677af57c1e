/// Rules about documentation comments.
enum DocumentationRules {
  private static let modules: Set = ["StratusWire", "StratusKit"]

  /// Names of members that implement a protocol. The protocol documents them.
  private static let witnesses: Set = [
    "write", "encode", "hash", "isEqual", "copy", "mutableCopy", "makeIterator", "next", "index",
    "Request", "Response", "CodingKeys",
  ]

  /// Finds public types and methods without a documentation comment of their own.
  static func missing(_ file: SourceFile) -> [Finding] {
    guard modules.contains(file.module) else { return [] }
    let pattern =
      #/
      ^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:public|open)\s(?:[a-z]+\s)*?
      (?:class|struct|enum|protocol|actor|func)\s+(?!var\b|func\b)(?:`?(\w+)`?)
    /#
    var findings: [Finding] = []
    var conformance = false
    for (index, line) in file.code.enumerated() {
      if !line.hasPrefix(" "), !line.isEmpty, !line.hasPrefix("}") {
        conformance = line.contains(#/^(?:@[^e]+\s)?extension\s[\w.]+(?:<.*>)?\s*:/#)
      }
      guard !conformance, let match = line.firstMatch(of: pattern) else { continue }
      let name = String(match.output.1)
      guard !witnesses.contains(name), !line.contains(" override "),
        !isDocumented(line: index, in: file)
      else { continue }
      let advice = "'\(name)' is public; describe it with a sentence after ///"
      findings.append(Finding(path: file.path, line: index + 1, advice: advice))
    }
    return findings
  }

  private static func isDocumented(line: Int, in file: SourceFile) -> Bool {
    var above = line - 1
    while above >= 0, file.lines[above].contains(#/^\s*(?:@|#if)/#) { above -= 1 }
    return above >= 0 && file.lines[above].contains(#/^\s*///\s?\S?/#)
  }
}
