/// Rules about tests.
enum TestRules {
  /// Requires that the name of a test is a sentence.
  static func sentences(_ file: SourceFile) -> [Finding] {
    guard file.area == "Tests" else { return [] }
    var findings: [Finding] = []
    var isTest = false
    for (index, line) in file.code.enumerated() {
      if line.contains(#/^\s*@Test\b/#) { isTest = true }
      guard isTest, let match = line.firstMatch(of: #/\bfunc\s(`?)/#) else { continue }
      isTest = false
      guard match.output.1.isEmpty else { continue }
      let advice = "a test's name is a sentence: @Test func `a stale change tag is a conflict`()"
      findings.append(Finding(path: file.path, line: index + 1, advice: advice))
    }
    return findings
  }

  /// Files that may sleep, each with the reason.
  static let sleepingExceptions: [String: String] = [
    "Sources/StratusTesting/Testing/Clock/TestClock.swift": "is the fake clock",
    "Sources/StratusTesting/Testing/Devices/DevicePost.swift": "sleeps by the fake clock",
    "Sources/StratusTesting/Testing/TestServer+Waiting.swift":
      "sleeps for a millisecond between two checks of a condition",
    "Tests/StratusTestingTests/ClockTests.swift": "sleeps by the fake clock",
    "Tests/StratusCrashTests/Mixed/SoakTime.swift":
      "runs a load for the time that an option of the soak sets",
  ]

  /// Requires that a test waits for a condition and does not sleep.
  static func sleeping(_ file: SourceFile) -> [Finding] {
    guard
      file.area == "Tests" || file.module == "StratusTesting"
        || file.module == "StratusConformance",
      sleepingExceptions[file.path] == nil
    else { return [] }
    return file.findings(in: \.code, matching: #/\b(?:Task\.sleep|usleep|nanosleep|sleep)\(/#) {
      "'\($0)': a test does not sleep; wait for an event, or move the fake clock"
    }
  }
}
