import Foundation

/// A Markdown page of the project.
struct Document {
  /// The path from the package's root, for example `docs/guide/http.md`.
  let path: String
  /// The lines of prose. Lines of code and of comments are empty texts.
  let prose: [String]
  /// All lines, unchanged.
  let lines: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var isCode = false
    var isComment = false
    prose = lines.map { line in
      if !isComment, line.hasPrefix("```") {
        isCode.toggle()
        return ""
      }
      if isCode { return "" }
      if line.hasPrefix("<!--") { isComment = true }
      defer { if isComment, line.contains("-->") { isComment = false } }
      return isComment || line.hasPrefix("    ") ? "" : line
    }
  }

  /// The anchors of the headings in GitHub's form. A link to a heading must name one of these.
  var anchors: Set<String> {
    var seen: [String: Int] = [:]
    var anchors: Set<String> = []
    for line in prose where line.contains(#/^#{1,6}\s/#) {
      let anchor = Self.anchor(of: line.drop { $0 == "#" })
      let count = seen[anchor, default: 0]
      anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
      seen[anchor] = count + 1
    }
    return anchors
  }

  private static func anchor(of heading: Substring) -> String {
    let text = heading.trimmed.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.output.1) }
    return String(
      text.lowercased().compactMap { character -> Character? in
        if character.isLetter || character.isNumber || "-_".contains(character) { return character }
        return character == " " ? "-" : nil
      })
  }

  /// The paragraphs, list items and table cells, each with the number of its first line.
  var passages: [(line: Int, text: String)] {
    var passages: [(line: Int, text: String)] = []
    var isOpen = false
    for (index, line) in prose.enumerated() {
      let text = Substring(line).trimmed
      if text.isEmpty || text.hasPrefix("#") {
        isOpen = false
      } else if text.hasPrefix("|") {
        isOpen = false
        for cell in text.split(separator: "|") { passages.append((index + 1, cell.trimmed)) }
      } else if isOpen, !text.contains(#/^(?:[-*]|\d+\.)\s/#) {
        passages[passages.count - 1].text += " " + text
      } else {
        isOpen = true
        passages.append((index + 1, text))
      }
    }
    return passages
  }
}

extension Project {
  /// Every page that git tracks, or nil if the folder is not a git repository.
  static let documents: [Document]? = tracked?.filter { $0.hasSuffix(".md") }.compactMap { path in
    guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
      return nil
    }
    return Document(path: path, text: text)
  }
}
