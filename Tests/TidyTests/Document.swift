import Foundation

/// A Markdown page of the project.
struct Document {
  /// The path from the package's root, for example `docs/guide/http.md`.
  let path: String
  /// The lines of prose. Lines of code and of comments are empty texts.
  let prose: TextLines

  init(path: String, text: String) { self.init(path: path, utf8: Array(text.utf8)) }

  init(path: String, utf8 text: [UInt8]) {
    self.path = path
    let lines = TextLines(text)
    var prose = TextLines()
    var isCode = false
    var isComment = false
    for line in 0..<lines.count {
      if line > 0 { prose.endLine() }
      if !isComment, lines.line(line, hasPrefix: "```") {
        isCode.toggle()
        continue
      }
      if isCode { continue }
      if lines.line(line, hasPrefix: "<!--") { isComment = true }
      if !isComment, !lines.line(line, hasPrefix: "    ") {
        prose.append(text[lines.range(of: line)])
      }
      if isComment, lines.line(line, contains: ["-->"]) { isComment = false }
    }
    self.prose = prose
  }

  private static let heading = Pattern(#/^#{1,6}\s/#, needles: ["#"])
  private static let link = Pattern(#/\[([^\]]*)\]\([^)]*\)/#, needles: ["]("])

  /// The anchors of the headings in GitHub's form. A link to a heading must name one of these.
  var anchors: Set<String> {
    var seen: [String: Int] = [:]
    var anchors: Set<String> = []
    for (line, _) in prose.matches(of: Self.heading) {
      let anchor = Self.anchor(of: prose[line].drop { $0 == "#" })
      let count = seen[anchor, default: 0]
      anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
      seen[anchor] = count + 1
    }
    return anchors
  }

  private static func anchor(of heading: Substring) -> String {
    let text = link.replacing(in: heading.trimmed) { String($0.1) }
    return String(
      text.lowercased().compactMap { character -> Character? in
        if character.isLetter || character.isNumber || "-_".contains(character) { return character }
        return character == " " ? "-" : nil
      })
  }

  private static let listItem = Pattern(#/^(?:[-*]|\d+\.)\s/#, needles: ["-", "*", "."])

  /// The paragraphs, list items and table cells, each with the number of its first line.
  var passages: [(line: Int, text: String)] {
    var passages: [(line: Int, text: String)] = []
    var isOpen = false
    for line in 0..<prose.count {
      let text = prose[line][...].trimmed
      if text.isEmpty || text.hasPrefix("#") {
        isOpen = false
      } else if text.hasPrefix("|") {
        isOpen = false
        for cell in text.split(separator: "|") { passages.append((line + 1, cell.trimmed)) }
      } else if isOpen, Self.listItem.firstMatch(in: text) == nil {
        passages[passages.count - 1].text += " " + text
      } else {
        isOpen = true
        passages.append((line + 1, text))
      }
    }
    return passages
  }
}

extension Project {
  /// Every page that git tracks, or nil if the folder is not a git repository.
  static let documents: [Document]? = tracked?.filter { $0.hasSuffix(".md") }.compactMap { path in
    text(at: path).map { Document(path: path, utf8: $0) }
  }
}
