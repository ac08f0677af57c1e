import StratusWire
import Testing

@testable import StratusDomain

/// The steps, refusals and warnings of a schema change.
@Suite struct ChangesOfSchemas {
  struct Row: Sendable, CustomTestStringConvertible {
    var title: String
    var old: String
    var new: String
    var environment = ContainerEnvironment.production
    /// The production schema at the time of a change in development.
    var production = ""
    var source = SchemaEvolution.Source.file
    var steps: [String] = []
    var refusals: [String] = []
    var warnings: [String] = []

    var testDescription: String { title }
  }

  private static let retire = "drop it in two phases, beginning with 'stratus schema retire"

  static let additions: [Row] = [
    Row(title: "no change", old: "RECORD TYPE A (x STRING);", new: "RECORD TYPE A (x STRING);"),
    Row(
      title: "a new type", old: "", new: "RECORD TYPE A (x STRING QUERYABLE);",
      steps: ["+ type A", "+ field A.x STRING QUERYABLE", "~ grants A none"]),
    Row(
      title: "a new type with the usual grants", old: "",
      new: """
        RECORD TYPE A (x ENCRYPTED INT64, GRANT READ TO "_world", GRANT CREATE TO "_icloud",
        GRANT WRITE TO "_creator");
        """,
      steps: ["+ type A", "+ field A.x ENCRYPTED INT64"]),
    Row(
      title: "a new field and a new role", old: "RECORD TYPE A (x STRING);",
      new: "CREATE ROLE R; RECORD TYPE A (x STRING, y LIST<DOUBLE>, GRANT READ TO R);",
      steps: ["+ role R", "+ field A.y LIST<DOUBLE>", "~ grants A R: READ"]),
    Row(
      title: "a new option of a field and of a system field", old: "RECORD TYPE A (x STRING);",
      new: "RECORD TYPE A (x STRING SORTABLE, \"___modTime\" TIMESTAMP QUERYABLE);",
      steps: ["~ index A.x SORTABLE", "~ index A.___modTime QUERYABLE"]),
    Row(
      title: "NUMBER keeps the present type", old: "RECORD TYPE A (x INT64, y DOUBLE);",
      new: "RECORD TYPE A (x NUMBER, y NUMBER);"),
  ]

  static let losses: [Row] = [
    Row(
      title: "a lost option of a field", old: "RECORD TYPE A (x STRING QUERYABLE SORTABLE);",
      new: "RECORD TYPE A (x STRING QUERYABLE);", steps: ["~ index A.x QUERYABLE"],
      warnings: [
        "the option SORTABLE of 'A.x' is removed: queries that need it are refused from now on"
      ]),
    Row(
      title: "a lost option of a system field that the file does not mention",
      old: "RECORD TYPE A (\"___createTime\" TIMESTAMP QUERYABLE SORTABLE, x STRING);",
      new: "RECORD TYPE A (x STRING);", steps: ["~ index A.___createTime none"],
      warnings: [
        "the option QUERYABLE SORTABLE of 'A.___createTime' is removed: queries that need it are "
          + "refused from now on"
      ]),
    Row(
      title: "lost permissions",
      old: "RECORD TYPE A (x STRING, GRANT READ, CREATE TO \"_icloud\", GRANT READ TO \"_world\");",
      new: "RECORD TYPE A (x STRING, GRANT READ TO \"_icloud\");",
      steps: ["~ grants A _icloud: READ"],
      warnings: [
        "the role _icloud loses CREATE on 'A'", "the role _world loses READ on 'A'",
      ]),
    Row(
      title: "a lost role", old: "CREATE ROLE R; RECORD TYPE A (x STRING, GRANT READ TO R);",
      new: "RECORD TYPE A (x STRING);", steps: ["~ grants A none", "- role R"],
      warnings: [
        "the role 'R' is removed, and with it the rights of the users that hold it",
        "the role R loses READ on 'A'",
      ]),
    Row(
      title: "a field and a type that development loses",
      old: "RECORD TYPE A (x STRING, y STRING); RECORD TYPE B (x STRING);",
      new: "RECORD TYPE A (x STRING);", environment: .development,
      steps: ["- field A.y", "- type B"],
      warnings: [
        "the field 'A.y' is removed with its values in all records",
        "the record type 'B' is removed with all its records",
      ]),
  ]

  static let refused: [Row] = [
    Row(
      title: "a type that the file lacks", old: "RECORD TYPE A (x STRING);", new: "",
      refusals: ["production has 'A', which the file lacks; add it to the file, or \(retire) A'"]),
    Row(
      title: "a field that the file lacks", old: "RECORD TYPE A (x STRING, y STRING);",
      new: "RECORD TYPE A (x STRING);",
      refusals: [
        "production has 'A.y', which the file lacks; add it to the file, or \(retire) A.y'"
      ]),
    Row(
      title: "a changed type", old: "RECORD TYPE A (x STRING);", new: "RECORD TYPE A (x INT64);",
      refusals: [
        "'A.x' is STRING, and the change makes it INT64; a field never changes its type: write "
          + "STRING, or add a field of another name"
      ]),
    Row(
      title: "a value that becomes a list", old: "RECORD TYPE A (x STRING);",
      new: "RECORD TYPE A (x LIST<STRING>);",
      refusals: [
        "'A.x' is STRING, and the change makes it LIST<STRING>; a field never changes its type: "
          + "write STRING, or add a field of another name"
      ]),
    Row(
      title: "a field that becomes encrypted", old: "RECORD TYPE A (x STRING);",
      new: "RECORD TYPE A (x ENCRYPTED STRING);",
      refusals: [
        "'A.x' is STRING, and the change makes it ENCRYPTED STRING; a field never becomes "
          + "encrypted or plain: add a field of another name"
      ]),
    Row(
      title: "a changed type in development", old: "RECORD TYPE A (x STRING);",
      new: "RECORD TYPE A (x BYTES);", environment: .development,
      refusals: [
        "'A.x' is STRING, and the change makes it BYTES; a field never changes its type: write "
          + "STRING, or add a field of another name"
      ]),
    Row(
      title: "a field of production that development would lose",
      old: "RECORD TYPE A (x STRING, y STRING);", new: "RECORD TYPE A (x STRING);",
      environment: .development, production: "RECORD TYPE A (y STRING);",
      steps: ["- field A.y"],
      refusals: ["production has 'A.y', so development keeps it; add it to the file"],
      warnings: ["the field 'A.y' is removed with its values in all records"]),
    Row(
      title: "a type of production that development lacks", old: "", new: "",
      environment: .development, production: "RECORD TYPE A (y STRING);",
      refusals: ["production has 'A', so development keeps it; add it to the file"]),
    Row(
      title: "a new field of another type than production's", old: "RECORD TYPE A ();",
      new: "RECORD TYPE A (y INT64);", environment: .development,
      production: "RECORD TYPE A (y STRING);", steps: ["+ field A.y INT64"],
      refusals: [
        "'A.y' is STRING in production, where it never changes; write this type"
      ]),
  ]

  static let deployed: [Row] = [
    Row(
      title: "production keeps what development lacks",
      old: "CREATE ROLE R; RECORD TYPE A (x STRING QUERYABLE SORTABLE, y INT64);",
      new: "RECORD TYPE A (x STRING SEARCHABLE); RECORD TYPE B ();", source: .development,
      steps: ["~ index A.x QUERYABLE SEARCHABLE SORTABLE", "+ type B", "~ grants B none"]),
    Row(
      title: "grants deploy as they are", old: "RECORD TYPE A (GRANT READ TO \"_world\");",
      new: "RECORD TYPE A (GRANT WRITE TO \"_icloud\");", source: .development,
      steps: ["~ grants A _icloud: WRITE"], warnings: ["the role _world loses READ on 'A'"]),
  ]

  private static func schema(_ text: String) throws -> Schema {
    switch ParsedSchema.read("DEFINE SCHEMA " + text) {
    case .schema(let parsed): return parsed.schema(basedOn: Schema())
    case .faulty(let faults):
      Issue.record("\(faults)")
      throw CancellationError()
    }
  }

  @Test(arguments: additions + losses + refused + deployed)
  func `a schema change has the expected steps, refusals and warnings`(_ row: Row) throws {
    let old = try Self.schema(row.old)
    guard case .schema(let file) = ParsedSchema.read("DEFINE SCHEMA " + row.new) else {
      Issue.record("\(row.new)")
      return
    }
    let evolution = SchemaEvolution(
      from: old, to: file.schema(basedOn: old), in: row.environment,
      production: row.environment == .production ? old : try Self.schema(row.production),
      source: row.source)
    #expect(evolution.steps.map(\.text) == row.steps)
    #expect(evolution.refusals.map(\.reason) == row.refusals)
    #expect(evolution.warnings.map(\.reason) == row.warnings)
  }

  @Test
  func `a field that is being removed cannot be added again, and is not exported`() throws {
    let old = Schema(
      recordTypes: ["A": RecordType(name: "A", fields: ["x": .init(type: FieldType(.string))])],
      retirements: [Retirement(SchemaPlace("A", "x"), phase: .removing, since: 0)])
    let again = SchemaEvolution(
      from: old,
      to: Schema(recordTypes: [
        "A": RecordType(name: "A", fields: ["x": .init(type: FieldType(.int64))])
      ]),
      in: .production, production: old)
    #expect(
      again.refusals.map(\.reason) == [
        "'A.x' is being removed; wait until 'stratus schema retiring' shows it no longer"
      ])
    let without = SchemaEvolution(
      from: old, to: Schema(recordTypes: ["A": RecordType(name: "A")]), in: .production,
      production: old)
    #expect(without.isEmpty)
    #expect(!ParsedSchema(old).text.contains("x "))
  }

  @Test func `a printed schema is parsed to the same schema`() throws {
    let seed: UInt64 = 20_261_124
    var chance = Chance(seed: seed)
    for round in 0..<300 {
      let generated = GeneratedSchema.schema(&chance).schema(basedOn: Schema())
      guard case .schema(let read) = ParsedSchema.read(ParsedSchema(generated).text) else {
        Issue.record("seed \(seed), round \(round): \(ParsedSchema(generated).text)")
        return
      }
      let again = read.schema(basedOn: generated)
      let evolution = SchemaEvolution(
        from: generated, to: again, in: .production, production: generated)
      #expect(evolution.isEmpty, "seed \(seed), round \(round): \(evolution.steps)")
    }
  }
}
