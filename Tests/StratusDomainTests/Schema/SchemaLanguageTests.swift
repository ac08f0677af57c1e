import StratusWire
import Testing

@testable import StratusDomain

/// The schema files that are accepted, and the printed form of a schema.
@Suite struct SchemaLanguage {
  private func schema(_ text: String) throws -> ParsedSchema {
    switch ParsedSchema.read(text) {
    case .schema(let schema): return schema
    case .faulty(let faults):
      Issue.record("\(faults)\n\(text)")
      throw CancellationError()
    }
  }

  @Test func `a schema file without statements is legal`() throws {
    #expect(try schema("DEFINE SCHEMA") == ParsedSchema())
    #expect(try schema("\u{FEFF}define\tschema\r\n// end") == ParsedSchema())
    #expect(ParsedSchema().text == "DEFINE SCHEMA\n")
  }

  @Test func `a record type without fields is legal`() throws {
    let parsed = try schema("DEFINE SCHEMA RECORD TYPE Empty ();")
    #expect(parsed.recordTypes == [ParsedRecordType(Located("Empty"))])
  }

  @Test func `the sample schemas are printed in the form of an export`() throws {
    #expect(try schema(SchemaSamples.exhibition).text == SchemaSamples.exhibitionExport)
    #expect(try schema(SchemaSamples.note).text == SchemaSamples.noteExport)
  }

  @Test func `an exported schema file is the same after parsing and printing`() throws {
    for text in [SchemaSamples.exhibitionExport, SchemaSamples.noteExport] {
      #expect(try schema(text).text == text)
    }
  }

  @Test
  func `the field types of a printed schema are aligned after the longest field name`() throws {
    let text = try schema(
      "DEFINE SCHEMA RECORD TYPE T (a_name_of_twenty_two_ INT64, b STRING);"
    ).text
    #expect(text.contains("        a_name_of_twenty_two_ INT64,\n"))
    #expect(text.contains("        \"___etag\"             STRING,\n"))
    #expect(text.contains("        b                     STRING\n    );\n"))
  }

  @Test func `the position of a record type or field is the position of its name`() throws {
    let parsed = try schema("DEFINE SCHEMA\n  RECORD TYPE\n T (\n\ta STRING);")
    #expect(parsed.recordTypes[0].name.position == SchemaPosition(line: 3, column: 2))
    #expect(parsed.recordTypes[0].fields[0].name.position == SchemaPosition(line: 4, column: 2))
    #expect(parsed.recordTypes[0].fields[0].type.position == SchemaPosition(line: 4, column: 4))
  }

  @Test func `the schemas of public projects are accepted`() throws {
    // Each statement uses syntax that a published schema contains.
    let forms = [
      "RECORD TYPE A (\"___recordID\" REFERENCE QUERYABLE SORTABLE);",
      "RECORD TYPE A (CD_data BYTES QUERYABLE SORTABLE, CD_data_ckAsset ASSET);",
      "RECORD TYPE A (\"name\" STRING QUERYABLE SEARCHABLE SORTABLE);",
      "RECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" STRING, GRANT READ TO \"_world\");",
      "RECORD TYPE A (a STRING, GRANT CREATE TO \"_creator\", GRANT READ, WRITE TO \"_icloud\");",
      "RECORD TYPE A (owner REFERENCE QUERYABLE SORTABLE, list LIST<REFERENCE> QUERYABLE);",
      "RECORD TYPE A (GRANT READ TO \"_world\", a STRING, GRANT WRITE TO \"_creator\");",
      "RECORD TYPE type (list STRING, string STRING, read INT64, \"to\" INT64, role INT64);",
    ]
    for form in forms { _ = try schema("DEFINE SCHEMA\n\(form)") }
  }

  /// The names and the structure of each schema are random.
  @Test func `1,000 random schemas are the same after printing and parsing`() throws {
    let seed: UInt64 = 20_261_123
    var chance = Chance(seed: seed)
    for round in 0..<1_000 {
      let generated = GeneratedSchema.schema(&chance)
      let text = generated.text
      let parsed = try schema(text)
      #expect(parsed.text == text, "seed \(seed), round \(round)")
      #expect(
        GeneratedSchema.sorted(parsed) == GeneratedSchema.sorted(generated),
        "seed \(seed), round \(round): \(text)")
    }
  }
}

/// Creates random legal schemas.
enum GeneratedSchema {
  static func schema(_ chance: inout Chance) -> ParsedSchema {
    let roles = names(0...3, &chance).map { Located("R" + $0) }
    let types = names(0...5, &chance).map { name in
      var fields = names(0...8, &chance).map { field(named: $0, &chance) }
      for (name, element) in ParsedSchema.systemFields.sorted(by: { $0.key < $1.key }) {
        let type = FieldType(element)
        fields.append(
          ParsedField(
            Located(name), Located(.type(type)),
            options: Bool.random(using: &chance) ? options(for: type, &chance) : []))
      }
      return ParsedRecordType(
        Located(name), fields: fields,
        grants: (ParsedSchema.systemRoles + roles.map(\.value)).compactMap {
          grant(to: $0, &chance)
        })
    }
    return ParsedSchema(roles: roles, recordTypes: types)
  }

  /// Sorts the parts, because a printed file contains them in another order.
  static func sorted(_ schema: ParsedSchema) -> ParsedSchema {
    var schema = schema
    schema.roles.sort { $0.value < $1.value }
    schema.recordTypes.sort { $0.name.value < $1.name.value }
    for index in schema.recordTypes.indices {
      schema.recordTypes[index].fields.sort { $0.name.value < $1.name.value }
      schema.recordTypes[index].grants.sort { $0.role.value < $1.role.value }
    }
    return schema
  }

  private static let words = [
    "grant", "sortable", "List", "record", "CREATE", "a", "B", "_", "long_name_of_a_field", "x9",
    "Preferred", "type", "Z",
  ]

  private static func names(
    _ count: ClosedRange<Int>, _ chance: inout Chance
  ) -> [String] {
    var names: Set<String> = []
    for _ in 0..<Int.random(in: count, using: &chance) {
      let parts = (0..<Int.random(in: 1...3, using: &chance)).map { _ in
        words.randomElement(using: &chance) ?? "a"
      }
      let name = parts.joined()
      names.insert(name.hasPrefix("_") ? "n" + name : name)
    }
    return names.sorted()
  }

  private static func field(named name: String, _ chance: inout Chance) -> ParsedField {
    let isList = Bool.random(using: &chance)
    let type: ParsedType
    switch Int.random(in: 0..<4, using: &chance) {
    case 0:
      let preferred: [FieldType.Element?] = [nil, .int64, .double]
      type = .number(isList: isList, preferred: preferred.randomElement(using: &chance) ?? nil)
    case 1:
      let elements: [FieldType.Element] = [
        .bytes, .string, .double, .int64, .location, .timestamp,
      ]
      type = .type(
        FieldType(
          elements.randomElement(using: &chance) ?? .string, isList: isList, isEncrypted: true))
    default:
      type = .type(
        FieldType(
          FieldType.Element.allCases.randomElement(using: &chance) ?? .string, isList: isList))
    }
    return ParsedField(
      Located(name), Located(type), options: options(for: type.fieldType, &chance))
  }

  private static func options(
    for type: FieldType, _ chance: inout Chance
  ) -> [Located<SchemaOption>] {
    SchemaOption.allCases.filter {
      FieldIndexes.accepted(for: type).contains($0.mark) && Bool.random(using: &chance)
    }.map { Located($0) }
  }

  private static func grant(to role: String, _ chance: inout Chance) -> ParsedGrant? {
    let permissions = SchemaPermission.allCases.filter { _ in Bool.random(using: &chance) }
    return permissions.isEmpty
      ? nil : ParsedGrant(permissions.map { Located($0) }, to: Located(role))
  }
}
