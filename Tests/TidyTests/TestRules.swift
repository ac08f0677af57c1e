/// Rules about tests.
enum TestRules {
  /// A test's name is a sentence.
  static func sentences(_ file: SourceFile) -> [Finding] {
    guard file.area == "Tests" else { return [] }
    var findings: [Finding] = []
    var isTest = false
    for (index, line) in file.code.enumerated() {
      if line.contains(#/^\s*@Test\b/#) { isTest = true }
      guard isTest, let match = line.firstMatch(of: #/\bfunc\s(`?)/#) else { continue }
      isTest = false
      guard match.output.1.isEmpty else { continue }
      let advice = "a test is a sentence: @Test func `a stale change tag is a conflict`()"
      findings.append(Finding(path: file.path, line: index + 1, advice: advice))
    }
    return findings
  }

  /// Tests wait for what they wait for, not for time to pass.
  static func sleeping(_ file: SourceFile) -> [Finding] {
    guard file.area == "Tests" || file.room == "StratusTesting" else { return [] }
    return file.findings(in: \.code, matching: #/\b(?:Task\.sleep|usleep|nanosleep|sleep)\(/#) {
      "'\($0)': a test does not sleep; wait for an event, or move the fake clock"
    }
  }
}
