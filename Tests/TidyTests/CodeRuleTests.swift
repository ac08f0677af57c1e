import Testing

/// Checks every file of the project against the rules of `docs/ARCHITECTURE.md`.
@Suite struct CodeRules {
  @Test func `the sources are found`() {
    let modules = Set(Project.files.map(\.module))
    #expect(modules.isSuperset(of: ["StratusWire", "StratusDomain", "TidyTests"]))
  }

  @Test(arguments: FileRule.all) func `every file keeps the rule`(_ rule: FileRule) {
    for file in Project.files {
      for finding in rule.check(file) { Issue.record("\(finding.description)") }
    }
  }

  @Test func `nine files in ten are shorter than 300 lines`() {
    for finding in ShapeRules.fileLengths(Project.files) {
      Issue.record("\(finding.description)")
    }
  }

  @Test(.enabled(if: Project.tracked != nil, "there is no git here"))
  func `git tracks no build products and no databases`() {
    for finding in ShapeRules.products(Project.tracked ?? []) {
      Issue.record("\(finding.description)")
    }
  }
}

/// A rule that looks at one file at a time.
struct FileRule: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: @Sendable (SourceFile) -> [Finding]

  init(_ name: String, _ check: @escaping @Sendable (SourceFile) -> [Finding]) {
    testDescription = name
    self.check = check
  }

  static let all: [FileRule] = [
    FileRule("a file imports only what its module may", ImportRules.allowedImports),
    FileRule("files lie in known modules", ImportRules.knownModule),
    FileRule("interfaces show what their users know", ImportRules.shown),
    FileRule("clocks and chance come from the roots", WordRules.clocksAndChance),
    FileRule("nobody prints but the command line", WordRules.printing),
    FileRule("SQL stands in the SQL modules", WordRules.sql),
    FileRule("JSON keys stand in Wire", WordRules.json),
    FileRule("CK names stand in Kit", WordRules.cloudKitNames),
    FileRule("nothing traps", WordRules.traps),
    FileRule("no marks and no banners", WordRules.marks),
    FileRule("no code in comments", WordRules.commentedOutCode),
    FileRule("names say something", ShapeRules.emptyNames),
    FileRule("files have 500 lines at most", ShapeRules.fileLength),
    FileRule("lines have 100 columns at most", ShapeRules.lineLength),
    FileRule("what is public is documented", DocumentationRules.missing),
    FileRule("tests are sentences", TestRules.sentences),
    FileRule("tests do not sleep", TestRules.sleeping),
  ]
}
