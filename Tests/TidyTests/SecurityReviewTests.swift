import Foundation
import Testing

/// Checks the security review that `docs/reference/security.md` shows.
@Suite struct `The security review` {
  /// Runs `scripts/security-page --check`.
  ///
  /// - Returns: what the script says about the faults of the tables, or nil if there are none.
  private func check(_ tables: [String] = [SecurityReview.path]) throws -> String? {
    let script = Process()
    script.executableURL = URL(filePath: "/usr/bin/env")
    script.arguments =
      [
        "python3", Project.root.appending(path: "scripts/security-page").path, "--check",
      ] + tables
    let output = Pipe()
    script.standardOutput = FileHandle.nullDevice
    script.standardError = output
    try script.run()
    let message = output.fileHandleForReading.readDataToEndOfFile()
    script.waitUntilExit()
    return script.terminationStatus == 0 ? nil : String(decoding: message, as: UTF8.self)
  }

  private func table() throws -> String {
    try String(contentsOf: Project.root.appending(path: SecurityReview.path), encoding: .utf8)
  }

  @Test func `each of the 253 requirements of levels 1 and 2 occurs once`() throws {
    #expect(SecurityReview.ids.count == 253)
    #expect(SecurityReview.faults(of: try table()) == [])
  }

  @Test func `the page is current, and all evidence exists`() throws {
    let fault = try check()
    #expect(fault == nil, "\(fault ?? "")")
  }

  private static let faults = [
    ("9.1.1\tx\tmet\tTLSTests: no such test\t", "names a test that does not exist"),
    ("9.1.1\tx\tmet\tNoTests: a stale change tag is a conflict\t", "names a test that does not"),
    ("9.1.1\tx\tmet\tdocs/none.md\t", "names a file that does not exist"),
    ("9.1.1\tx\tmet\t\t", "is met without evidence"),
    ("9.1.1\tx\tdeviates\tREADME.md\t", "has no reason"), ("9.1.1\tx\tn/a\t\t", "has no reason"),
    ("9.1.1\tx\tunknown\tREADME.md\t", "is malformed"), ("9.1.1\tx\tmet", "is malformed"),
    ("9.1.1\tx\tmet\tREADME.md\t", "is out of date"),
  ]

  @Test func `a row with a fault is reported`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "stratus-review-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rows = try table().split(separator: "\n")
    var files: [String] = []
    for (row, _) in Self.faults {
      let file = folder.appending(path: "\(files.count).tsv")
      let changed = rows.map { $0.hasPrefix("9.1.1\t") ? row[...] : $0 }
      try Data((changed.joined(separator: "\n") + "\n").utf8).write(to: file)
      files.append(file.path)
    }
    let found = try #require(try check(files)).split(separator: "\n")
    try #require(found.count == Self.faults.count)
    for ((row, fault), line) in zip(Self.faults, found) {
      #expect(line.contains(fault), "\(row)")
    }
  }

  @Test func `a missing, a repeated and an unknown requirement are reported`() {
    func faults(without missing: String? = nil, and added: String? = nil) -> [String] {
      let ids = SecurityReview.ids.sorted().filter { $0 != missing } + (added.map { [$0] } ?? [])
      return SecurityReview.faults(of: (["id"] + ids.map { $0 + "\tx" }).joined(separator: "\n"))
    }
    #expect(faults() == [])
    #expect(faults(without: "6.3.3") == ["6.3.3 is missing"])
    #expect(faults(and: "6.3.3") == ["6.3.3 occurs twice"])
    #expect(faults(and: "6.3.9") == ["6.3.9 is no requirement of level 1 or 2"])
  }
}
