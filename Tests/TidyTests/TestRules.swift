/// Rules about tests.
enum TestRules {
  private static let attribute = Pattern(#/^\s*@Test\b/#, needles: ["@Test"])
  private static let function = Pattern(#/\bfunc\s(`?)/#, needles: ["func"])

  /// Requires that the name of a test is a sentence.
  static func sentences(_ file: SourceFile) -> [Finding] {
    guard file.area == "Tests" else { return [] }
    var findings: [Finding] = []
    var isTest = false
    for line in file.code.indices(containing: ["@Test", "func"]) {
      if file.code.firstMatch(of: attribute, in: line) != nil { isTest = true }
      guard isTest, let match = file.code.firstMatch(of: function, in: line) else { continue }
      isTest = false
      guard match.1.isEmpty else { continue }
      let advice = "a test's name is a sentence: @Test func `a stale change tag is a conflict`()"
      findings.append(Finding(path: file.path, line: line + 1, advice: advice))
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

  private static let sleep = Pattern(
    #/\b(?:Task\.sleep|usleep|nanosleep|sleep)\(/#, needles: ["sleep("])

  /// Requires that a test waits for a condition and does not sleep.
  static func sleeping(_ file: SourceFile) -> [Finding] {
    guard
      file.area == "Tests" || file.module == "StratusTesting"
        || file.module == "StratusConformance",
      sleepingExceptions[file.path] == nil
    else { return [] }
    return file.findings(in: \.code, matching: sleep) {
      "'\($0)': a test does not sleep; wait for an event, or move the fake clock"
    }
  }
}
