import StratusDomain
import Testing

/// A faulty schema file, its expected fault and the position of that fault.
struct FaultySchema: Sendable, CustomTestStringConvertible {
  let text: String
  let position: SchemaPosition
  let reason: String

  var testDescription: String { "\(reason.prefix(60)) at \(position.line):\(position.column)" }

  /// - Parameter marked: the file, with '¦' before the expected position.
  init(_ marked: String, _ reason: String) {
    let before = marked.prefix { $0 != "¦" }
    let lines = before.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    position = SchemaPosition(line: lines.count, column: (lines.last?.count ?? 0) + 1)
    text = marked.replacing("¦", with: "")
    self.reason = reason
  }

  /// Returns a schema file whose fault is in a statement.
  static func statement(_ marked: String, _ reason: String) -> FaultySchema {
    FaultySchema("DEFINE SCHEMA\n    \(marked)", reason)
  }

  /// Returns a schema file whose fault is in an entry of a record type.
  static func entry(_ marked: String, _ reason: String) -> FaultySchema {
    FaultySchema(
      "DEFINE SCHEMA\n\n    RECORD TYPE Note (\n        first STRING,\n        \(marked)\n    );\n",
      reason)
  }
}

/// Faulty schema files. The rules of the schema language determine the expected errors.
@Suite struct FaultsOfSchemaFiles {
  static let all =
    FaultySchema.characters + FaultySchema.statements + FaultySchema.entries
    + FaultySchema.types + FaultySchema.grants + FaultySchema.names + FaultySchema.options

  @Test func `there are at least 200 faulty schema files, and all are different`() {
    #expect(Set(Self.all.map(\.text)).count == Self.all.count)
    #expect(Self.all.count >= 200)
  }

  @Test(arguments: all)
  func `a faulty schema file gives the right error at the right position`(
    _ faulty: FaultySchema
  ) {
    let reading = ParsedSchema.read(faulty.text)
    #expect(reading == .faulty([SchemaFault(faulty.position, faulty.reason)]), "\(faulty.text)")
  }

  @Test(arguments: all) func `the error of a schema file is one line of fewer than 200 characters`(
    _ faulty: FaultySchema
  ) {
    #expect(!faulty.reason.contains("\n"))
    #expect(faulty.reason.count < 200)
  }

  @Test func `several faults of a schema file are reported together, in order`() {
    let text = """
      DEFINE SCHEMA
      RECORD TYPE A (x BOOL, y STRING INDEXED, z STRING);
      RECORD Note (a STRING);
      CREATE ROLE ;
      RECORD TYPE B (x LIST STRING);
      """
    guard case .faulty(let faults) = ParsedSchema.read(text) else {
      Issue.record("no faults")
      return
    }
    #expect(
      faults.map(\.position) == [
        SchemaPosition(line: 2, column: 18), SchemaPosition(line: 2, column: 33),
        SchemaPosition(line: 3, column: 8), SchemaPosition(line: 4, column: 13),
        SchemaPosition(line: 5, column: 23),
      ])
  }

  @Test func `only the first 20 faults of a schema file are reported`() {
    let text = "DEFINE SCHEMA " + String(repeating: "RECORD TYPE ( ; ", count: 5_000)
    guard case .faulty(let faults) = ParsedSchema.read(text) else {
      Issue.record("no faults")
      return
    }
    #expect(faults.count == 20)
  }

  @Test func `a schema file over the size limit is refused before it is parsed`() {
    let text = String(repeating: " ", count: 2_097_153)
    let reason = "the file has more than 2097152 bytes; remove record types that no app uses"
    #expect(
      ParsedSchema.read(text) == .faulty([SchemaFault(.start, reason)]))
  }

  @Test func `a schema file that is truncated at any character is parsed without a crash`() {
    let text = Array(SchemaSamples.exhibition.unicodeScalars)
    for length in 0..<text.count {
      var beginning = String.UnicodeScalarView()
      beginning.append(contentsOf: text[..<length])
      _ = ParsedSchema.read(String(beginning))
    }
  }
}
