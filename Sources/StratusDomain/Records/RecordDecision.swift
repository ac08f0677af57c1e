import StratusWire

/// The decision about a batch of operations on one zone. It depends only on the arguments of the
/// initializer.
struct RecordDecision: Sendable {
  typealias Values = [(key: String, value: FieldValue)]

  /// The outcome of one operation.
  enum Outcome: Sendable {
    case saved(StoredRecord)
    case deleted(name: String)
    case refused(Refusal)
  }

  /// The reason for a refusal, with the server's record if it is part of the reason.
  struct Refusal: Error, Sendable {
    let error: ServerError
    let serverRecord: StoredRecord?
    /// See ``RecordFailure/sealingRootRecordName``.
    let sealingRoot: String?

    init(
      _ error: ServerError, serverRecord: StoredRecord? = nil, sealingRoot: String? = nil
    ) {
      self.error = error
      self.serverRecord = serverRecord
      self.sealingRoot = sealingRoot
    }
  }

  /// One outcome for each operation, in order.
  private(set) var outcomes: [Outcome] = []
  /// The new states and tombstones. Their change numbers are consecutive and start after the zone's
  /// newest change.
  private(set) var records: [StoredRecord] = []
  /// All fields of each record in ``records``, or nil if not all fields of the record are decoded.
  private(set) var values: [Values?] = []
  /// The references of operations that were not refused, by the positions of the operations.
  private(set) var references: [Int: SentReferences] = [:]
  /// The types, fields and index marks that the saves add to the schema.
  private(set) var schemaAddition = SchemaAddition()
  /// The retiring record types and fields that operations write, including refused operations.
  private(set) var retiredWrites: Set<SchemaPlace> = []
  /// The IDs of the keys that sealed the encrypted values, by the positions of the operations.
  private(set) var sealingKeyIDs: [Int: Set<[UInt8]>] = [:]
  /// Whether any operation was refused.
  private(set) var hasFailed = false

  /// The IDs of all keys that sealed encrypted values.
  var zoneKeyIDs: Set<[UInt8]> { sealingKeyIDs.values.reduce(into: []) { $0.formUnion($1) } }

  /// Whether the rules about references apply. Most batches have no references and no deletions.
  var concernsReferences: Bool { !references.isEmpty || records.contains(where: \.isDeleted) }

  /// Decides the operations. Each operation is checked in this order: permission, existence of the
  /// record, change tag, and fields against the schema.
  ///
  /// - Parameters:
  ///   - isAtomic: whether one refused operation causes the refusal of all operations.
  ///   - shares: the participants and permissions of saved shares, by the positions of the
  ///     operations.
  ///   - refused: the refusals of other rules (about references, shares, hierarchies and quotas),
  ///     by the positions of the operations.
  init(
    _ operations: [SentOperation], on snapshot: RecordSnapshot, by writer: RecordWriter,
    in database: OpenDatabase, isAtomic: Bool, refused: [Int: Refusal] = [:],
    shares: [Int: ShareState] = [:]
  ) {
    var fields = FieldDecision(
      schema: snapshot.schema, environment: database.environment,
      allowsEncryption: snapshot.access.address.database.allowsEncryptedValues)
    var seen: Set<ExactName> = []
    let rules = RecordRules(
      writer: writer, access: snapshot.access, schema: snapshot.schema,
      assets: AssetRules(
        links: database.assets(of: snapshot.access.address.database), known: snapshot.assets))
    for (index, sent) in operations.enumerated() {
      let schemaBefore = fields
      do throws(Refusal) {
        let name = sent.operation.recordName
        if let name, !seen.insert(ExactName(name)).inserted {
          throw Refusal(.badRequest(Reason.duplicateRecord))
        }
        if let refusal = refused[index] { throw refusal }
        let known = name.flatMap(snapshot.stored)
        let numbers = RecordRules.Numbers(
          change: (snapshot.zone?.change ?? 0) + Int64(records.count) + 1,
          record: known?.number ?? snapshot.firstNumber + Int64(records.count),
          revision: known?.nextRevision ?? name.map(snapshot.firstRevision) ?? 1)
        let outcome = try rules.decide(
          sent, stored: name.flatMap { snapshot.records[$0] },
          isHidden: name.map { snapshot.hidden.contains(ExactName($0)) } ?? false,
          share: shares[index], numbers: numbers, fields: &fields)
        if let record = outcome.written {
          records.append(record)
          values.append(outcome.values)
        }
        if !outcome.references.isEmpty { references[index] = outcome.references }
        let keyIDs = fields.takeZoneKeyIDs()
        if !keyIDs.isEmpty { sealingKeyIDs[index] = keyIDs }
        outcomes.append(outcome.answer)
      } catch {
        hasFailed = true
        let attempts = fields.retiredWrites
        fields = schemaBefore
        fields.note(retiredWrites: attempts)
        outcomes.append(.refused(error))
      }
    }
    retiredWrites = fields.retiredWrites
    if hasFailed, isAtomic {
      withdraw()
    } else {
      schemaAddition = fields.addition
    }
  }

  private mutating func withdraw() {
    records = []
    values = []
    references = [:]
    sealingKeyIDs = [:]
    let error = ServerError(.atomicError, Reason.atomicError)
    outcomes = outcomes.map { outcome in
      switch outcome {
      case .saved, .deleted: .refused(Refusal(error))
      case .refused: outcome
      }
    }
  }
}
