import Foundation
import Testing

/// All code in `docs/guide/testing.md` is compiled and run.
@Suite struct `The guide to testing` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The Swift code blocks of a text, except the package description.
  private func blocks(in text: String) -> [[String]] {
    text.components(separatedBy: "```swift\n").dropFirst().compactMap { part in
      let lines = lines(of: part.components(separatedBy: "```")[0])
      return lines.first?.hasPrefix(".testTarget") == true ? nil : lines
    }
  }

  /// The lines without indentation and without empty lines, since both differ.
  private func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  @Test func `contains only code that these tests compile`() throws {
    let guide = try String(
      contentsOf: Self.root.appendingPathComponent("docs/guide/testing.md"), encoding: .utf8)
    let folder = Self.root.appendingPathComponent("Tests/StratusTestingTests/Guide")
    let files = try ["Notebook.swift", "NotebookTests.swift"].map {
      lines(of: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
    }
    let blocks = blocks(in: guide)
    #expect(blocks.count >= 8)
    for block in blocks {
      let isCompiled = files.contains { file in
        file.indices.contains { file[$0...].starts(with: block) }
      }
      #expect(isCompiled, "not in the guide's test files: \(block.joined(separator: "\n"))")
    }
  }
}
