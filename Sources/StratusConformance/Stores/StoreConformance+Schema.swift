import StratusDomain
import StratusWire

extension StoreConformance {
  static let schemaChecks: [Check] = [
    Check("the schema contains the record types and fields that are added", schemaGrows),
    Check("every field type is stored", fieldTypesAreKept),
    Check("an existing part of the schema cannot be added again", schemaIsAddedOnce),
    Check("additions to the schema add index settings and never remove any", marksAreJoined),
    Check("a field that does not exist cannot get index settings", unknownFieldIsNotMarked),
    Check("settings are off at first, and the last value set is kept", settingsAreReplaced),
  ]

  /// The body of the write sees the addition. Reads with an older cached schema also see it.
  static func schemaGrows(_ store: any Store) async throws {
    let first = SchemaAddition(
      recordTypes: ["Note", "It's"],
      fields: [.init(recordType: "Note", name: "title", type: FieldType(.string))])
    let second = SchemaAddition(
      fields: [.init(recordType: "Note", name: "tags", type: FieldType(.string, isList: true))])
    var expected = Schema()
    for addition in [first, second] {
      expected.add(addition)
      let written = try await store.write { (body) throws(ServerError) in
        try body.add(addition)
        return try body.schema()
      }
      let read = try await store.read { (body) throws(ServerError) in try body.schema() }
      try expect(written, expected)
      try expect(read, expected)
    }
  }

  /// The check uses single values and lists, plain and encrypted, with all index settings that each
  /// type allows.
  static func fieldTypesAreKept(_ store: any Store) async throws {
    var addition = SchemaAddition(recordTypes: ["Note"])
    for element in FieldType.Element.allCases {
      for isList in [false, true] {
        for isEncrypted in [false, true] {
          let type = FieldType(element, isList: isList, isEncrypted: isEncrypted)
          addition.fields.append(
            .init(
              recordType: "Note", name: "a \(type.schemaName)", type: type,
              indexes: .all(for: type)))
        }
      }
    }
    let added = addition
    try await store.write { (body) throws(ServerError) in try body.add(added) }
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    var expected = Schema()
    expected.add(addition)
    try expect(schema, expected)
  }

  /// The check adds a field again, with another type. The field keeps its first type.
  static func schemaIsAddedOnce(_ store: any Store) async throws {
    let field = SchemaAddition.Field(
      recordType: "Note", name: "title", type: FieldType(.string))
    let addition = SchemaAddition(recordTypes: ["Note"], fields: [field])
    try await store.write { (body) throws(ServerError) in try body.add(addition) }
    let error = await store.failure { (body) throws(ServerError) in
      let other = SchemaAddition.Field(
        recordType: "Note", name: "title", type: FieldType(.int64))
      try body.add(SchemaAddition(fields: [other]))
    }
    try expect(error?.code, .internalError)
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(
      schema.recordTypes["Note"]?.fields, ["title": FieldDefinition(type: FieldType(.string))])
  }

  /// The check uses every index setting, both when a field is added and later.
  static func marksAreJoined(_ store: any Store) async throws {
    let first = SchemaAddition(
      recordTypes: ["Note"],
      fields: [
        .init(
          recordType: "Note", name: "title", type: FieldType(.string), indexes: [.queryable]),
        .init(recordType: "Note", name: "text", type: FieldType(.string)),
      ],
      markings: [
        .init(recordType: "Note", key: .field("text"), indexes: .searchable),
        .init(recordType: "Note", key: .system(.recordName), indexes: .queryable),
      ])
    let second = SchemaAddition(markings: [
      .init(recordType: "Note", key: .field("title"), indexes: [.sortable, .searchable]),
      .init(recordType: "Note", key: .system(.recordName), indexes: .sortable),
      .init(recordType: "Note", key: .system(.modificationDate), indexes: .sortable),
    ])
    for addition in [first, second] {
      try await store.write { (body) throws(ServerError) in
        try body.add(addition)
        _ = try body.schema()
      }
      _ = try await store.read { (body) throws(ServerError) in try body.schema() }
    }
    let type = try await store.read { (body) throws(ServerError) in
      try body.schema().recordTypes["Note"]
    }
    let expected = RecordType(
      name: "Note",
      fields: [
        "title": FieldDefinition(
          type: FieldType(.string), indexes: [.queryable, .sortable, .searchable]),
        "text": FieldDefinition(type: FieldType(.string), indexes: .searchable),
      ],
      systemFields: [.recordName: [.queryable, .sortable], .modificationDate: .sortable])
    try expect(type, expected)
  }

  /// A caller with an outdated schema can request an index setting for a field that does not exist.
  static func unknownFieldIsNotMarked(_ store: any Store) async throws {
    let error = await store.failure { (body) throws(ServerError) in
      try body.add(
        SchemaAddition(
          recordTypes: ["Note"],
          markings: [.init(recordType: "Note", key: .field("title"), indexes: .queryable)]))
    }
    try expect(error?.code, .internalError)
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(schema, Schema())
  }

  /// The check uses several combinations of settings. The rest of the schema is kept. Reads with
  /// older cached settings also see the change.
  static func settingsAreReplaced(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Note"]))
    }
    let before = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(before.settings, ContainerSettings())
    for settings in [
      ContainerSettings(allowsQueryExtensions: true),
      ContainerSettings(requiresReferenceTargets: true),
      ContainerSettings(allowsQueryExtensions: true, requiresReferenceTargets: true),
      ContainerSettings(shareAppURL: "trips://open?", shareFallbackURL: "https://trips.example"),
      ContainerSettings(shareFallbackURL: "https://trips.example/é", mailsInvitations: true),
      ContainerSettings(mailsInvitations: true),
      ContainerSettings(),
    ] {
      let written = try await store.write { (body) throws(ServerError) in
        try body.set(settings)
        return try body.schema()
      }
      let read = try await store.read { (body) throws(ServerError) in try body.schema() }
      var expected = Schema(settings: settings)
      expected.add(SchemaAddition(recordTypes: ["Note"]))
      try expect(written, expected)
      try expect(read, expected)
    }
  }
}
