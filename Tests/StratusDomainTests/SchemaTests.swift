import StratusWire
import Testing

@testable import StratusDomain

/// Field values and the schema.
@Suite struct FieldsAgainstSchema {
  struct Row: Sendable, CustomTestStringConvertible {
    let field: String
    let type: FieldType?
    /// The expected value, or nil if the field is refused.
    let value: FieldValue?

    init(_ field: String, known type: FieldType? = nil, _ value: FieldValue?) {
      self.field = field
      self.type = type
      self.value = value
    }

    var testDescription: String { "\(field.prefix(60)) as \(type?.name ?? "a new field")" }
  }

  static let suggested: [Row] = [
    Row(#"{"value":"a"}"#, .string("a")),
    Row(#"{"value":5}"#, .int64(5)),
    Row(#"{"value":5.5}"#, .double(5.5)),
    Row(#"{"value":true}"#, .int64(1)),
    Row(#"{"value":["a","b"]}"#, .list(.string, [.string("a"), .string("b")])),
    Row(
      #"{"value":{"latitude":60.5,"longitude":24}}"#,
      .location(Location(latitude: 60.5, longitude: 24))),
    Row(#"{"value":[],"type":"STRING_LIST"}"#, .list(.string, [])),
    Row(#"{"value":7,"type":"NUMBER_INT64"}"#, .int64(7)),
    Row(#"{"value":7,"type":"TIMESTAMP"}"#, .timestamp(7)),
    Row(#"{"value":"AQI=","type":"BYTES"}"#, .bytes([1, 2])),
    Row(#"{"value":7,"type":"FLOAT"}"#, nil),
    Row(#"{"value":{"foo":1}}"#, nil),
  ]

  static let known: [Row] = [
    Row(#"{"value":3}"#, known: FieldType(.double), .double(3)),
    Row(#"{"value":3.0}"#, known: FieldType(.int64), .int64(3)),
    Row(#"{"value":3.5}"#, known: FieldType(.int64), nil),
    Row(#"{"value":true}"#, known: FieldType(.int64), .int64(1)),
    Row(#"{"value":"3"}"#, known: FieldType(.int64), .int64(3)),
    Row(#"{"value":9223372036854775807}"#, known: FieldType(.int64), .int64(.max)),
    Row(#"{"value":9223372036854775808}"#, known: FieldType(.int64), nil),
    Row(#"{"value":1767225600000}"#, known: FieldType(.timestamp), .timestamp(1_767_225_600_000)),
    Row(#"{"value":1767225600000.5}"#, known: FieldType(.timestamp), nil),
    Row(#"{"value":"1767225600000.5"}"#, known: FieldType(.timestamp), nil),
    Row(#"{"value":"AQI="}"#, known: FieldType(.bytes), .bytes([1, 2])),
    Row(#"{"value":"AQI"}"#, known: FieldType(.bytes), nil),
    Row(#"{"value":"*!rubbish"}"#, known: FieldType(.bytes), nil),
    Row(#"{"value":"a","type":"STRING"}"#, known: FieldType(.int64), nil),
    Row(#"{"value":"a"}"#, known: FieldType(.int64), nil),
    Row(#"{"value":1}"#, known: FieldType(.string), nil),
    Row(#"{"value":"NaN"}"#, known: FieldType(.double), nil),
    Row(#"{"value":"Infinity"}"#, known: FieldType(.double), nil),
    Row(#"{"value":"0x1F"}"#, known: FieldType(.double), nil),
    Row(#"{"value":1e999}"#, known: FieldType(.double), nil),
    Row(
      #"{"value":["a"],"type":"LIST"}"#, known: FieldType(.string, isList: true),
      .list(.string, [.string("a")])),
    Row(#"{"value":["a",1]}"#, known: FieldType(.string, isList: true), nil),
    Row(#"{"value":[["a"]]}"#, known: FieldType(.string, isList: true), nil),
    Row(#"{"value":"a"}"#, known: FieldType(.string, isList: true), nil),
    Row(#"{"value":{"latitude":91,"longitude":0}}"#, known: FieldType(.location), nil),
    Row(#"{"value":{"latitude":0,"longitude":-181}}"#, known: FieldType(.location), nil),
    Row(#"{"value":{"latitude":0}}"#, known: FieldType(.location), nil),
    Row(
      #"{"value":{"latitude":0,"longitude":0,"altitude":"high"}}"#, known: FieldType(.location),
      nil),
    Row(
      #"{"value":{"latitude":0,"longitude":0,"timestamp":0.5}}"#, known: FieldType(.location),
      nil),
    Row(#"{"value":{"recordName":""}}"#, known: FieldType(.reference), nil),
    Row(#"{"value":{"recordName":"a","action":"EAT"}}"#, known: FieldType(.reference), nil),
    Row(#"{"value":{"recordName":"a","action":5}}"#, known: FieldType(.reference), nil),
    Row(#""bare""#, known: FieldType(.string), nil),
  ]

  @Test(arguments: suggested + known)
  func `the schema, the type name and the JSON value determine a field's value`(row: Row) throws {
    var schema = Schema()
    schema.add(SchemaAddition(recordTypes: ["Note"]))
    if let type = row.type {
      schema.add(SchemaAddition(fields: [.init(recordType: "Note", name: "f", type: type)]))
    }
    var decision = FieldDecision(schema: schema, environment: .development)
    let fields = try JSONView(parsing: Array(#"{"f":\#(row.field)}"#.utf8))
    let zone = ZoneID(zoneName: "Work", ownerRecordName: Situation.anna)
    do {
      let changes = try decision.decide(fields, recordType: "Note", zoneID: zone)
      #expect(changes.map(\.value) == [row.value])
    } catch {
      #expect(row.value == nil, "refused: \(error)")
      #expect(error.code == .badRequest)
    }
  }

  private static let notPlain = [
    Row(
      #"{"value":{"recordName":"r","action":"DELETE_SELF"}}"#, known: FieldType(.reference), nil),
    Row(
      #"{"value":[{"recordName":"r","action":"VALIDATE"}]}"#,
      known: FieldType(.reference, isList: true), nil),
    Row(#"{"value":{"fileChecksum":"AQ==","size":1}}"#, known: FieldType(.asset), nil),
    Row(#"{}"#, known: FieldType(.string), nil),
    Row(#"{"value":"a","type":"LIST"}"#, known: FieldType(.string), nil),
    Row(#"{"value":"a","type":"STRING"}"#, known: FieldType(.string), nil),
    Row(#"{"value":[],"type":"STRING_LIST"}"#, known: FieldType(.string, isList: true), nil),
    Row(#"{"value":1,"type":"INT64"}"#, known: FieldType(.double), nil),
  ]

  /// The server decodes the fields of a new or replaced record before the transaction if it can,
  /// and those of an update inside it.
  @Test(arguments: suggested + known + notPlain)
  func `a field gets the same value when a record is created and when it is updated`(row: Row)
    throws
  {
    var situation = Situation()
    situation.schema.add(SchemaAddition(recordTypes: ["Note"]))
    if let type = row.type {
      situation.schema.add(
        SchemaAddition(fields: [.init(recordType: "Note", name: "f", type: type)]))
    }
    let fields = #"{"f":\#(row.field)}"#
    let whole = situation.decide([try .on("a", .create, fields: fields)])
    let part = situation.decide([try .on("a", .forceUpdate, fields: fields)])
    #expect(whole.records == part.records)
    #expect(whole.values.map { $0?.map(\.value) } == part.values.map { $0?.map(\.value) })
    #expect(whole.schemaAddition == part.schemaAddition)
    #expect(whole.references == part.references)
    #expect(whole.hasFailed == part.hasFailed)
  }

  @Test func `only fields with a type name are decoded before the transaction`() throws {
    let sent = SentOperation(
      try .on(
        "a", .create,
        fields: #"{"f":{"value":{"latitude":1,"longitude":1,"fileChecksum":"AQ=="}}}"#))
    #expect(sent.plain == nil)
    let plain = SentOperation(
      try .on("a", .create, fields: #"{"f":{"value":"x","type":"STRING"}}"#))
    #expect(plain.plain?.text == FieldsJSON([("f", .string("x"))]))
  }

  @Test
  func `a decoded reference gets an action, and the zone of the record that contains it`() throws {
    var decision = FieldDecision(schema: Schema(), environment: .development)
    let zone = ZoneID(zoneName: "Work", ownerRecordName: Situation.anna)
    let fields = try JSONView(
      parsing: Array(
        #"""
        {"a":{"value":{"recordName":"r"}},
         "b":{"value":{"recordName":"r","zoneID":{"zoneName":"Work"},"action":"DELETE_SELF"}},
         "c":{"value":[{"recordName":"r"}]}}
        """#.utf8))
    let changes = try decision.decide(fields, recordType: "Note", zoneID: zone)
    let plain = FieldValue.reference(Reference(recordName: "r", zoneID: zone, action: .none))
    let owned = FieldValue.reference(
      Reference(recordName: "r", zoneID: zone, action: .deleteSelf))
    #expect(changes.map(\.value) == [plain, owned, .list(.reference, [plain])])
  }

  @Test(
    arguments: [
      #"{"recordName":"r","zoneID":{"zoneName":"Home"}}"#,
      #"{"recordName":"r","zoneID":{"zoneName":"Work","ownerRecordName":"_ben"}}"#,
    ]) func `a reference to another zone is refused`(target: String) throws
  {
    var decision = FieldDecision(schema: Schema(), environment: .development)
    let zone = ZoneID(zoneName: "Work", ownerRecordName: Situation.anna)
    let one = try JSONView(parsing: Array(#"{"a":{"value":\#(target)}}"#.utf8))
    let many = try JSONView(parsing: Array(#"{"a":{"value":[\#(target)]}}"#.utf8))
    #expect(throws: ServerError.self) {
      _ = try decision.decide(one, recordType: "Note", zoneID: zone)
    }
    #expect(throws: ServerError.self) {
      _ = try decision.decide(many, recordType: "Note", zoneID: zone)
    }
  }

  @Test func `a save in development adds types and fields, but no field without a value`() throws {
    let decision = Situation().decide([
      try .on("a", .create, fields: #"{"title":{"value":"x"},"gone":{}}"#)
    ])
    #expect(decision.schemaAddition.recordTypes == ["Note"])
    #expect(decision.schemaAddition.fields.map(\.name) == ["title"])
  }

  @Test func `a save in production may use only types and fields of the schema`() throws {
    var situation = try Situation.oneNote()
    situation.environment = .production
    let unknownType = try RecordOperation.on("a", .create, type: "Task")
    let unknownField = try RecordOperation.on("a", .create, fields: #"{"body":{"value":"x"}}"#)
    let known = try RecordOperation.on("a", .create, fields: #"{"title":{"value":"x"}}"#)
    #expect(try situation.decide(unknownType) == .refused(.badRequest))
    #expect(try situation.decide(unknownField) == .refused(.badRequest))
    #expect(try situation.decide(known) == .saved)
  }
}
