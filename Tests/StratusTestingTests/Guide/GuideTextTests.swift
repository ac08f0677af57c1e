import Foundation
import Testing

/// All Swift code in `docs/guide/testing.md` and `docs/guide/sharing.md`, except the lines for
/// `Package.swift`, is compiled and run.
@Suite struct `A guide page` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The Swift code blocks of a text, except the block for `Package.swift`.
  private func blocks(in text: String) -> [[String]] {
    text.components(separatedBy: "```swift\n").dropFirst().compactMap { part in
      let lines = lines(of: part.components(separatedBy: "```")[0])
      return lines.first?.hasPrefix(".testTarget") == true ? nil : lines
    }
  }

  /// The lines without indentation and without empty lines, because indentation and empty lines may
  /// differ in the test files.
  private func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  @Test(arguments: [
    ("testing.md", ["Notebook.swift", "NotebookTests.swift"], 8),
    ("sharing.md", ["SharedLists.swift", "SharedListsTests.swift"], 8),
  ])
  func `each Swift block of a guide page, except that for the package, occurs in the test files`(
    page: String, names: [String], blocksMin: Int
  ) throws {
    let guide = try String(
      contentsOf: Self.root.appendingPathComponent("docs/guide/\(page)"), encoding: .utf8)
    let folder = Self.root.appendingPathComponent("Tests/StratusTestingTests/Guide")
    let files = try names.map {
      lines(of: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
    }
    let blocks = blocks(in: guide)
    #expect(blocks.count >= blocksMin)
    for block in blocks {
      let isCompiled = files.contains { file in
        file.indices.contains { file[$0...].starts(with: block) }
      }
      #expect(isCompiled, "not in the guide's test files: \(block.joined(separator: "\n"))")
    }
  }
}
