import StratusWire

/// What a batch of operations on one zone comes to: pure, from the snapshot alone.
struct RecordDecision: Sendable {
  typealias Values = [(key: String, value: FieldValue)]

  /// What becomes of one operation.
  enum Outcome: Sendable {
    case saved(StoredRecord)
    case deleted(name: String)
    case refused(Refusal)
  }

  /// Why an operation was refused, and what the server holds where that is the reason.
  struct Refusal: Error, Sendable {
    let error: ServerError
    let serverRecord: StoredRecord?

    init(_ error: ServerError, serverRecord: StoredRecord? = nil) {
      self.error = error
      self.serverRecord = serverRecord
    }
  }

  /// One an operation, in order.
  private(set) var outcomes: [Outcome] = []
  /// New states and tombstones, numbered on from the zone's newest change.
  private(set) var records: [StoredRecord] = []
  /// The fields of those records, where all of them were at hand.
  private(set) var values: [Values?] = []
  /// Where operations that were not refused lead, by their places.
  private(set) var references: [Int: SentReferences] = [:]
  /// What the saves bring into the schema.
  private(set) var schemaAddition = SchemaAddition()
  /// The IDs of the keys that encrypted values were sealed with.
  private(set) var zoneKeyIDs: Set<[UInt8]> = []
  /// Whether any operation was refused.
  private(set) var hasFailed = false

  /// Whether rules about references have anything to say: most batches lead nowhere and delete
  /// nothing.
  var concernsReferences: Bool { !references.isEmpty || records.contains(where: \.isDeleted) }

  /// Decides in order: permission → zone → change tag → fields against schema.
  ///
  /// - Parameters:
  ///   - isAtomic: one refusal refuses all.
  ///   - refused: operations that a ``ReferenceDecision`` has refused, by their places.
  init(
    _ operations: [SentOperation], on snapshot: RecordSnapshot, by writer: RecordWriter,
    in database: OpenDatabase, isAtomic: Bool, refused: [Int: Refusal] = [:]
  ) {
    var fields = FieldDecision(
      schema: snapshot.schema, environment: database.environment,
      allowsEncryption: snapshot.access.address.database.allowsEncryptedValues)
    var seen: Set<ExactName> = []
    let rules = RecordRules(
      writer: writer, access: snapshot.access, schema: snapshot.schema,
      assets: AssetRules(
        links: database.assets(of: snapshot.access.address.database), known: snapshot.assets))
    for (place, sent) in operations.enumerated() {
      let schemaBefore = fields
      do throws(Refusal) {
        let name = sent.operation.recordName
        if let name, !seen.insert(ExactName(name)).inserted {
          throw Refusal(.badRequest(Reason.duplicateRecord))
        }
        if let refusal = refused[place] { throw refusal }
        let known = name.flatMap(snapshot.stored)
        let at = RecordRules.Place(
          change: (snapshot.zone?.change ?? 0) + Int64(records.count) + 1,
          record: known?.number ?? snapshot.firstNumber + Int64(records.count))
        let outcome = try rules.decide(
          sent, stored: name.flatMap { snapshot.records[$0] }, place: at, fields: &fields)
        if let record = outcome.written {
          records.append(record)
          values.append(outcome.values)
        }
        if !outcome.references.isEmpty { references[place] = outcome.references }
        outcomes.append(outcome.answer)
      } catch {
        hasFailed = true
        fields = schemaBefore
        outcomes.append(.refused(error))
      }
    }
    if hasFailed, isAtomic {
      withdraw()
    } else {
      schemaAddition = fields.addition
      zoneKeyIDs = fields.zoneKeyIDs
    }
  }

  private mutating func withdraw() {
    records = []
    values = []
    references = [:]
    let error = ServerError(.atomicError, Reason.atomicError)
    outcomes = outcomes.map { outcome in
      switch outcome {
      case .saved, .deleted: .refused(Refusal(error))
      case .refused: outcome
      }
    }
  }
}
