import Foundation

/// Rules about the links of documents.
enum LinkRules {
  private static let link = Pattern(#/\]\(([^)\s]+)\)/#, needles: ["]("])

  /// Finds links to files, folders and headings that do not exist.
  ///
  /// - Parameters:
  ///   - exists: returns whether a file or folder exists. The path is from the package's root.
  ///   - anchors: returns the headings of a page, or nil if the path is not a page.
  static func broken(
    _ document: Document, exists: (String) -> Bool, anchors: (String) -> Set<String>?
  ) -> [Finding] {
    var findings: [Finding] = []
    for line in document.prose.indices(containing: link.needles) {
      for match in link.matches(in: document.prose[line]) {
        let target = String(match.output.1)
        if target.contains("://") || target.hasPrefix("mailto:") { continue }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? document.path : resolve(String(parts[0]), from: document.path)
        var advice: String?
        if path == nil || path.map(exists) == false {
          advice = "has no target"
        } else if let path, parts.count == 2, let known = anchors(path),
          !known.contains(String(parts[1]))
        {
          advice = "names a heading that the page does not have"
        }
        if let advice {
          findings.append(
            Finding(path: document.path, line: line + 1, advice: "the link '\(target)' \(advice)"))
        }
      }
    }
    return findings
  }

  /// Returns the target's path from the package's root, or nil if it is outside of the repository.
  private static func resolve(_ target: String, from page: String) -> String? {
    var folders = page.split(separator: "/").dropLast().map(String.init)
    for part in target.split(separator: "/") where part != "." {
      if part != ".." {
        folders.append(String(part))
      } else if folders.popLast() == nil {
        return nil
      }
    }
    return folders.joined(separator: "/")
  }

  private static let reference = Pattern(
    #/\bDESIGN\b|\bsemantics\s§|\b(?:web-services|web-auth|wire-quirks|cloudkit-semantics)\b/#,
    needles: ["DESIGN", "semantics", "web-services", "web-auth", "wire-quirks"])

  /// Finds references to documents that are not in the repository.
  static func outside(_ document: Document) -> [Finding] {
    document.prose.matches(of: reference).map { line, output in
      Finding(
        path: document.path, line: line + 1,
        advice: "'\(output)' is not a document of this repository; explain it here")
    }
  }
}
