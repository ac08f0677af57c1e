import StratusDomain
import StratusTesting
import StratusWire

/// The initial types and users of a data set.
struct WorldPlan: Sendable {
  /// Whether the data set is in the production environment.
  var isProduction: Bool
  var users: [String]
  /// The initial schema. In development, the first saved value of a new field adds the field.
  var declared: [String: ModelType]
  var start: Int64

  var addition: SchemaAddition {
    var addition = SchemaAddition()
    for (name, type) in declared.sorted(by: { $0.key < $1.key }) {
      addition.recordTypes.append(name)
      for (field, model) in type.fields.sorted(by: { $0.key < $1.key }) {
        addition.fields.append(
          SchemaAddition.Field(
            recordType: name, name: field, type: model.type, indexes: model.marks))
      }
      for (field, marks) in type.systemMarks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        addition.markings.append(
          SchemaAddition.Marking(recordType: name, key: .system(field), indexes: marks))
      }
    }
    return addition
  }
}

/// A store and its model. Each step changes both of them.
struct World {
  let server: QueryServer
  let address: StoreAddress
  var model: Model
  /// The records that were saved or deleted since the last reset, and the records of deleted zones.
  private(set) var touched: Set<RecordPlace> = []
  /// The zones that were deleted since the last reset.
  private(set) var deletedZones: Set<ExactName> = []

  init(_ plan: WorldPlan, number: Int, on server: QueryServer) async throws {
    self.server = server
    address = StoreAddress(
      container: "iCloud.query\(number)",
      environment: plan.isProduction ? .production : .development)
    model = Model(
      isProduction: plan.isProduction, users: plan.users, types: plan.declared, now: plan.start)
    await server.setClock(plan.start)
    try await server.add(plan.addition, to: address)
  }

  /// Empties the lists of touched records and deleted zones.
  mutating func forgetTouched() {
    touched = []
    deletedZones = []
  }

  /// Carries out a step that is not a query.
  ///
  /// - Throws: the errors of the server.
  mutating func apply(_ step: Step) async throws {
    switch step {
    case .modify(let database, let user, let zone, let edits):
      try await modify(edits, in: zone, of: database, by: model.caller(user, of: database))
    case .makeZone(let database, let zone): try await makeZone(zone, in: database)
    case .deleteZone(let database, let zone):
      guard model.hasZone(zone, in: database) else { return }
      for record in model.records(in: database, zone: zone) {
        touched.insert(RecordPlace(zone: zone, name: record.name))
      }
      deletedZones.insert(ExactName(zone))
      model.deleteZone(zone, in: database)
      try await change(.delete, zone, in: database)
    case .wait(let milliseconds):
      model.now += milliseconds
      await server.setClock(model.now)
    case .allowExtensions(let allows):
      model.allowsExtensions = allows
      try await server.set(ContainerSettings(allowsQueryExtensions: allows), of: address)
    case .mark(let type, let key, let marks): try await mark(type, key, marks)
    case .reopen: try await server.reopen()
    case .ask: break
    }
  }

  private mutating func makeZone(_ zone: String, in database: DatabaseChoice) async throws {
    if model.hasZone(zone, in: database) { return }
    model.makeZone(zone, in: database)
    try await change(.create, zone, in: database)
    let roots = (0..<Model.rootsCount).map { number in
      Edit(
        recordName: Model.rootName(number),
        kind: .save(recordType: Self.rootType, replaces: true, fields: [:], parent: nil))
    }
    try await modify(roots, in: zone, of: database, by: model.caller(0, of: database))
  }

  /// The type of the parent records.
  static let rootType = "Root"

  private func change(
    _ kind: ModifyZones.Operation.Kind, _ zone: String, in database: DatabaseChoice
  ) async throws {
    let response = try await server.answer(
      ModifyZones.self,
      ModifyZones.Request(operations: [.init(kind, ZoneID(zoneName: zone))]),
      user: model.caller(0, of: database), scope: database.scope, store: address)
    for case .failure(_, let error) in response.zones {
      throw Mismatch("zones/modify of \(zone): \(error.reason)")
    }
  }

  private mutating func mark(
    _ type: String, _ key: SchemaAddition.Marking.Key, _ marks: FieldIndexes
  ) async throws {
    guard model.types[type] != nil else { return }
    switch key {
    case .field(let name):
      guard model.types[type]?.fields[name] != nil else { return }
      model.types[type]?.fields[name]?.marks.formUnion(marks)
    case .system(let field):
      model.types[type]?.systemMarks[field, default: []].formUnion(marks)
    }
    let marking = SchemaAddition.Marking(recordType: type, key: key, indexes: marks)
    try await server.add(SchemaAddition(markings: [marking]), to: address)
  }

  private mutating func modify(
    _ edits: [Edit], in zone: String, of database: DatabaseChoice, by caller: String
  ) async throws {
    let edits = model.legalEdits(edits, in: zone, of: database, by: caller)
    if edits.isEmpty { return }
    for edit in edits {
      touched.insert(RecordPlace(zone: zone, name: edit.recordName))
      model.apply(edit, in: zone, of: database, by: caller)
    }
    let request = ModifyRecords.Request(
      zoneID: ZoneID(zoneName: zone), operations: try edits.map { try $0.operation() })
    let response = try await server.answer(
      ModifyRecords.self, request, user: caller, scope: database.scope, store: address)
    for case .failure(let failure) in response.records {
      throw Mismatch(
        "records/modify of \(failure.recordName) in \(zone): \(failure.error.reason)")
    }
  }
}

extension Edit {
  fileprivate func operation() throws -> RecordOperation {
    switch kind {
    case .delete: return RecordOperation(.forceDelete, recordName: recordName)
    case .save(let type, let replaces, let fields, let parent):
      var writer = JSONWriter()
      writer.object { writer in
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
          writer.key(name)
          if let value { value.writeField(to: &writer) } else { writer.null() }
        }
      }
      return RecordOperation(
        replaces ? .forceReplace : .forceUpdate, recordName: recordName, recordType: type,
        fields: try JSONView(parsing: writer.bytes),
        parent: parent.map { .set(recordName: Model.rootName($0)) }
          ?? (replaces ? .removed : .unchanged))
    }
  }
}
