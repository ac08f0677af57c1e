import Testing

/// Checks that every rule finds its bad samples and accepts its good samples.
@Suite struct BadSamples {
  /// A rule, a file path, and a line that breaks or follows the rule.
  struct Sample: Sendable, CustomTestStringConvertible {
    let rule: @Sendable (SourceFile) -> [Finding]
    let path: String
    let text: String

    init(_ rule: @escaping @Sendable (SourceFile) -> [Finding], _ path: String, _ text: String) {
      self.rule = rule
      self.path = path
      self.text = text
    }

    var testDescription: String { "\(path): \(text)" }
    var findings: [Finding] { rule(SourceFile(path: path, text: text)) }
  }

  private static let wire = "Sources/StratusWire/X.swift"
  private static let domain = "Sources/StratusDomain/X.swift"
  private static let kit = "Sources/StratusKit/X.swift"
  private static let http = "Sources/StratusHTTP/X.swift"
  private static let test = "Tests/StratusWireTests/X.swift"

  static let bad: [Sample] = [
    Sample(ImportRules.allowedImports, wire, "import StratusDomain"),
    Sample(ImportRules.allowedImports, domain, "public import StratusSQL"),
    Sample(ImportRules.allowedImports, domain, "@preconcurrency import CSQLite"),
    Sample(ImportRules.allowedImports, "Sources/StratusSQL/X.swift", "import Foundation"),
    Sample(ImportRules.allowedImports, "Sources/StratusSQL/X.swift", "import CSQLite"),
    Sample(ImportRules.allowedImports, "Sources/StratusSQLite/X.swift", "import StratusAccounts"),
    Sample(ImportRules.allowedImports, http, "import StratusSQLite"),
    Sample(ImportRules.allowedImports, http, "import struct Crypto.SHA256"),
    Sample(ImportRules.allowedImports, kit, "@_exported import StratusDomain"),
    Sample(ImportRules.allowedImports, kit, "import FoundationNetworking"),
    Sample(ImportRules.allowedImports, "Sources/stratus/X.swift", "import StratusSQLite"),
    Sample(ImportRules.allowedImports, "Examples/Tour/X.swift", "import StratusKit"),
    Sample(ImportRules.allowedImports, "Examples/Tour/X.swift", "import NotesSync"),
    Sample(ImportRules.allowedImports, test, "import CSQLite"),
    Sample(ImportRules.allowedImports, "Tests/TidyTests/X.swift", "import StratusWire"),
    Sample(ImportRules.knownModule, "Sources/StratusUnknown/X.swift", ""),
    Sample(
      ImportRules.shown, "Sources/StratusTesting/X.swift", "public import StratusDomain"),
    Sample(WordRules.clocksAndChance, domain, "let now = Date()"),
    Sample(WordRules.clocksAndChance, kit, "  recordName: String = UUID().uuidString"),
    Sample(WordRules.clocksAndChance, kit, "let wait = Double.random(in: 0...1)"),
    Sample(WordRules.clocksAndChance, wire, "var source = SystemRandomNumberGenerator()"),
    Sample(WordRules.clocksAndChance, http, "let start = ContinuousClock.now"),
    Sample(WordRules.clocksAndChance, http, "let start = Date.now.timeIntervalSince1970"),
    Sample(WordRules.printing, domain, "print(record)"),
    Sample(WordRules.sql, domain, "let text = \"SELECT name FROM records\""),
    Sample(WordRules.sql, "Sources/StratusServer/X.swift", "run(\"\"\"\n  PRAGMA x\n  \"\"\")"),
    Sample(WordRules.json, http, "let data = try JSONEncoder().encode(value)"),
    Sample(WordRules.json, domain, "writer.member(\"zoneID\", zoneID)"),
    Sample(WordRules.cloudKitNames, domain, "let record: CKRecord"),
    Sample(WordRules.traps, domain, "let text = try! read()"),
    Sample(WordRules.traps, kit, "let text = value as! String"),
    Sample(WordRules.traps, test, "fatalError(\"no\")"),
    Sample(WordRules.marks, domain, "let a = 1  // TODO: two"),
    Sample(WordRules.marks, domain, "// FIXME later"),
    Sample(WordRules.marks, domain, "// MARK: - Saving"),
    Sample(WordRules.marks, domain, "// --------------"),
    Sample(WordRules.commentedOutCode, domain, "// let zone = zones.first"),
    Sample(WordRules.commentedOutCode, domain, "// if zone.isDefault {"),
    Sample(WordRules.commentedOutCode, domain, "  // store.apply(changes)"),
    Sample(WordRules.commentedOutCode, domain, "// }"),
    Sample(ShapeRules.emptyNames, "Sources/StratusDomain/RecordHelpers.swift", ""),
    Sample(ShapeRules.emptyNames, "Sources/StratusDomain/Utils/Zone.swift", ""),
    Sample(ShapeRules.emptyNames, "Sources/StratusDomain/String+Common.swift", ""),
    Sample(ShapeRules.emptyNames, domain, "final class SessionManager {"),
    Sample(ShapeRules.fileLength, domain, String(repeating: "\n", count: 501)),
    Sample(ShapeRules.lineLength, domain, String(repeating: "ä", count: 101)),
    Sample(DocumentationRules.missing, wire, "public struct Zone {}"),
    Sample(DocumentationRules.missing, kit, "\n  @discardableResult\n  open func save() {}"),
    Sample(DocumentationRules.missing, kit, "// Saves.\npublic final class Container {}"),
    Sample(TestRules.sentences, test, "@Test func conflict() {}"),
    Sample(TestRules.sentences, test, "@Test(arguments: [1])\nfunc conflict(_ value: Int) {}"),
    Sample(TestRules.sleeping, test, "try await Task.sleep(for: .seconds(1))"),
  ]

  /// Further samples, so that `bad` and these have each alternative of the regular expressions. A
  /// ``Pattern`` needs words for each of them.
  static let alternatives: [Sample] =
    [
      "Date.now", "Date(timeIntervalSinceNow: 1)", "list.randomElement()", "list.shuffled()",
      "ContinuousClock().now", "SuspendingClock.now", "DispatchTime.now()", "clock_gettime(a)",
      "gettimeofday(a, b)",
    ].map { Sample(WordRules.clocksAndChance, domain, $0) }
    + [
      "INSERT INTO a", "INSERT OR IGNORE INTO a", "UPDATE a SET b", "DELETE FROM a",
      "CREATE TABLE a", "DROP UNIQUE INDEX a", "ALTER VIEW a", "PRAGMA a", "SAVEPOINT a",
    ].map { Sample(WordRules.sql, domain, "let text = \"\($0)\"") }
    + [
      "JSONSerialization.a", "JSONDecoder()", "a.requiredString(\"b\")",
      "a.optionalString(\"b\")",
    ].map { Sample(WordRules.json, http, $0) }
    + [
      "XXX", "HACK", "====", "****", "####", "____", "-=-=", "-*-*", "-#-#", "-_-_", "=*=*", "=#=#",
      "=_=_", "*#*#", "*_*_", "#_#_",
    ].map { Sample(WordRules.marks, domain, "// \($0)") }
    + [
      "var a: B", "var a = b", "public func a(b)", "import A", "return a[b]", "return (a)",
      "guard a {", "while a {", "for a in b {", "switch a {", "try a(b)", "a.b(c)",
    ].map { Sample(WordRules.commentedOutCode, domain, "// \($0)") }
    + ["struct AHelper", "enum AUtils", "protocol Common", "typealias ABase", "actor AManager"].map
  {
    Sample(ShapeRules.emptyNames, domain, $0)
  }
    + ["usleep(1)", "nanosleep(a, b)", "sleep(1)"].map { Sample(TestRules.sleeping, test, $0) }
    + [
      Sample(WordRules.printing, domain, "{ debugPrint(a) }"),
      Sample(WordRules.traps, domain, "a as! B"),
      Sample(DocumentationRules.missing, kit, "open class Container {}"),
      Sample(TestRules.sentences, test, "  @Test\n  func conflict() {}"),
    ]

  static let good: [Sample] = [
    Sample(ImportRules.allowedImports, domain, "public import StratusWire\nimport Foundation"),
    Sample(
      ImportRules.shown, "Sources/StratusTesting/X.swift",
      "public import StratusKit\npackage import StratusDomain\nimport StratusServer"),
    Sample(ImportRules.shown, domain, "public import StratusWire"),
    Sample(ImportRules.allowedImports, "Sources/StratusSQLite/X.swift", "import CSQLite"),
    Sample(
      ImportRules.allowedImports, "Sources/StratusTransport/X.swift", "import AsyncHTTPClient"),
    Sample(ImportRules.allowedImports, "Sources/StratusAccounts/X.swift", "import Crypto"),
    Sample(ImportRules.allowedImports, "Tests/StratusSQLiteTests/X.swift", "import CSQLite"),
    Sample(ImportRules.allowedImports, "Tests/StoreTestSupport/X.swift", "import CSQLite"),
    Sample(ImportRules.allowedImports, "Examples/NotesSync/Terminal/X.swift", "import NotesSync"),
    Sample(ImportRules.allowedImports, "Tests/NotesSyncTests/X.swift", "import NotesSync"),
    Sample(
      ImportRules.allowedImports, domain,
      "/// As import StratusSQL would.\nlet a = \"import CSQLite\""),
    Sample(WordRules.clocksAndChance, "Sources/StratusServer/Live.swift", "let now = Date()"),
    Sample(WordRules.clocksAndChance, test, "let folder = UUID().uuidString"),
    Sample(WordRules.clocksAndChance, domain, "let date = Date(timeIntervalSince1970: 0)"),
    Sample(WordRules.printing, "Sources/stratus/X.swift", "print(line)"),
    Sample(WordRules.printing, domain, "let fingerprint = key.fingerprint(of: value)"),
    Sample(WordRules.sql, "Sources/StratusSQL/X.swift", "let text = \"DELETE FROM records\""),
    Sample(
      WordRules.sql, domain, "/// SELECT name FROM records\nlet a = \"select a zone from the list\""
    ),
    Sample(WordRules.json, wire, "writer.member(\"zoneID\", zoneID)"),
    Sample(WordRules.cloudKitNames, domain, "/// As `CKRecord` has it.\nlet stack: [STACK]"),
    Sample(WordRules.traps, domain, "guard let text = value as? String else { throw error }"),
    Sample(WordRules.traps, domain, "/// Never `try!`.\nlet a = \"as! you like\""),
    Sample(WordRules.marks, domain, "/// The work that is left to do.\nlet a = \"// TODO\""),
    Sample(WordRules.commentedOutCode, domain, "// The zone (and its records) is locked here."),
    Sample(WordRules.commentedOutCode, domain, "// Return early, as Apple's does."),
    Sample(ShapeRules.emptyNames, "Sources/StratusDomain/DatabaseKey.swift", ""),
    Sample(ShapeRules.emptyNames, "Sources/StratusDomain/Base64Text.swift", ""),
    Sample(ShapeRules.emptyNames, "Sources/StratusServer/FileManager+Folders.swift", ""),
    Sample(ShapeRules.fileLength, domain, String(repeating: "\n", count: 500)),
    Sample(ShapeRules.lineLength, domain, String(repeating: "ä", count: 100)),
    Sample(DocumentationRules.missing, wire, "/// A zone.\n@frozen\npublic struct Zone {}"),
    Sample(DocumentationRules.missing, wire, "/// A zone.\n#if A\npublic struct Zone {}"),
    Sample(
      DocumentationRules.missing, wire, "extension Zone: JSONWritable {\n  public func f() {}\n}"),
    Sample(TestRules.sentences, test, "@Test func `a stale change tag is a conflict`() {}"),
  ]

  @Test(arguments: bad + alternatives)
  func `a rule for the project's files finds the fault in its bad sample`(_ sample: Sample) {
    #expect(sample.findings.count == 1)
  }

  @Test(arguments: good)
  func `a rule for the project's files accepts its good sample`(_ sample: Sample) {
    #expect(sample.findings == [])
  }

  @Test func `a project with two long files in ten breaks the file length rule`() {
    let long = SourceFile(path: Self.domain, text: String(repeating: "\n", count: 301))
    let short = SourceFile(path: Self.wire, text: "\n")
    #expect(ShapeRules.fileLengths([long, long] + Array(repeating: short, count: 8)).count == 2)
    #expect(ShapeRules.fileLengths([long] + Array(repeating: short, count: 9)) == [])
  }

  @Test(arguments: [
    ".build/debug/stratus", ".build-release/x", "Sources/a.o", "stratus.sqlite", "DATA/x.txt",
    "data/server.sqlite-wal", "Tests/Interop/__pycache__/a.pyc",
  ]) func `a build product that git tracks is found`(_ path: String) {
    #expect(ShapeRules.products([path, "Sources/StratusSQLite/Pool.swift"]).map(\.path) == [path])
  }

  @Test func `the golden data of an earlier release is not a build product`() {
    #expect(ShapeRules.products(["Tests/Golden/2026/server-data/server.sqlite"]).isEmpty)
  }

  @Test func `a finding names the file, the line and the solution`() throws {
    let file = SourceFile(path: Self.domain, text: "\n\nlet now = Date()")
    let finding = try #require(WordRules.clocksAndChance(file).first)
    #expect(finding.description.hasPrefix("Sources/StratusDomain/X.swift:3: 'Date()' may occur"))
  }
}

@Suite struct Scanner {
  @Test func `the scanner separates comments and strings from code`() {
    let file = SourceFile(
      path: "Sources/StratusWire/X.swift",
      text: #"""
        let a = "b // c" // d "e"
        let f = #"g " h"# /* i /* j */ k */ + l
        let m = "n\"o" + p
        let q = """
          r "s" // t
          """ + u
        """#)
    #expect(
      file.code.texts == [
        "let a = \"\" ", "let f = \"\"  + l", "let m = \"\" + p", "let q = \"\"", "", " + u",
      ])
    #expect(file.comments.texts == [" d \"e\"", " i  j  k ", "", "", "", ""])
    #expect(file.strings.texts == ["b // c", "g \" h", "n\\\"o", "", "  r \"s\" // t", "  "])
  }

  @Test func `a text without a line feed at its end, and an empty text, have lines`() {
    #expect(SourceFile(path: "X.swift", text: "").code.texts == [""])
    #expect(SourceFile(path: "X.swift", text: "a\n/").code.texts == ["a", "/"])
    #expect(SourceFile(path: "X.swift", text: "a /* b\n\"*").comments.texts == [" b", "\"*"])
    #expect(SourceFile(path: "X.swift", text: #"a "\"#).strings.texts == [#"\"#])
  }

  @Test func `every kind of line end becomes a line feed`() {
    let text = Project.withLineFeeds(Array("a\r\nb\rc\nd".utf8))
    #expect(String(decoding: text, as: UTF8.self) == "a\nb\nc\nd")
  }
}
