import Testing

/// Checks every file of the project against the rules of `docs/ARCHITECTURE.md`.
@Suite struct CodeRules {
  @Test func `TidyTests finds the source files`() {
    let modules = Set(Project.files.map(\.module))
    #expect(modules.isSuperset(of: ["StratusWire", "StratusDomain", "TidyTests"]))
  }

  @Test(arguments: FileRule.all) func `every source file follows the project's rule`(
    _ rule: FileRule
  ) {
    for file in Project.files {
      for finding in rule.check(file) { Issue.record("\(finding.description)") }
    }
  }

  @Test func `nine files in ten have at most 300 lines`() {
    for finding in ShapeRules.fileLengths(Project.files) {
      Issue.record("\(finding.description)")
    }
  }

  @Test(.enabled(if: Project.tracked != nil, "the folder is not a git repository"))
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
    FileRule("every file belongs to a known module", ImportRules.knownModule),
    FileRule("public interfaces show only modules that their users know", ImportRules.shown),
    FileRule("only composition roots use clocks and random numbers", WordRules.clocksAndChance),
    FileRule("only the command line prints", WordRules.printing),
    FileRule("only the SQL modules contain SQL", WordRules.sql),
    FileRule("only StratusWire contains JSON keys", WordRules.json),
    FileRule("only the CloudKit modules use names that begin with CK", WordRules.cloudKitNames),
    FileRule("no code uses try!, as! or fatalError", WordRules.traps),
    FileRule("no comment is a mark of unfinished work or a banner", WordRules.marks),
    FileRule("no comment contains code", WordRules.commentedOutCode),
    FileRule("names have a meaning", ShapeRules.emptyNames),
    FileRule("files have at most 500 lines", ShapeRules.fileLength),
    FileRule("lines have at most 100 columns", ShapeRules.lineLength),
    FileRule("public types and methods are documented", DocumentationRules.missing),
    FileRule("test names are sentences", TestRules.sentences),
    FileRule("tests do not sleep", TestRules.sleeping),
  ]
}
