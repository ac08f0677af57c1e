import StratusWire
import Testing

@testable import StratusDomain

/// Records of a zone that refer to each other, and the decision for a batch of operations.
struct Family: RecordReading, LinkReading, HierarchyReading {
  var records: [StoredRecord]
  var cascades: [UnfinishedCascade] = []
  var isAtomic = false
  var isPublic = false
  var requiresTargets = false

  /// Creates the records with the change numbers 1, 2, 3 and so on.
  init(_ members: Member...) {
    records = members.enumerated().map { $1.stored(change: Int64($0) + 1) }
  }

  /// A record and the targets of its references.
  struct Member {
    let name: String
    var parent: String?
    var deleteSelf: [String] = []
    var validated: [String] = []
    var type = "Note"

    init(_ name: String, parent: String? = nil, deleteSelf: [String] = []) {
      self.name = name
      self.parent = parent
      self.deleteSelf = deleteSelf
    }

    func stored(change: Int64) -> StoredRecord {
      let stamp = Stamp(
        timestamp: Situation.past, userRecordName: Situation.bea, deviceID: "1")
      let fields: [(key: String, value: FieldValue)] = [
        ("owners", .list(.reference, deleteSelf.map { Self.reference($0, .deleteSelf) })),
        ("checked", .list(.reference, validated.map { Self.reference($0, .validate) })),
      ]
      return StoredRecord(
        name: name, type: type, change: change, isDeleted: false, created: stamp,
        modified: stamp, parentRecordName: parent, fields: FieldsJSON(fields))
    }

    private static func reference(_ name: String, _ action: Reference.Action) -> FieldValue {
      .reference(Reference(recordName: name, action: action))
    }
  }

  static let zone = StoredZone(
    id: 7, database: .private(owner: Situation.anna), name: "Work", change: 100,
    clientChangeToken: nil)

  var schema: Schema {
    var schema = Schema(settings: ContainerSettings(requiresReferenceTargets: requiresTargets))
    let list = FieldType(.reference, isList: true)
    for type in ["Note", "Users"] {
      schema.add(
        SchemaAddition(
          recordTypes: [type],
          fields: ["owners", "checked"].map { .init(recordType: type, name: $0, type: list) }))
    }
    return schema
  }

  /// Returns the decision for a batch. If a reference is refused, the batch is decided again, as in
  /// the handler.
  func decide(
    _ operations: [RecordOperation], within budget: CascadeBudget = CascadeBudget()
  ) throws -> (decision: RecordDecision, references: ReferenceDecision) {
    let named = try records(named: operations.compactMap(\.recordName), in: Self.zone)
    let pendingDeletions = try PendingDeletions.among(
      named, in: Self.zone, schema: schema, of: self)
    let view: DatabaseView = isPublic ? .public : .private(user: Situation.anna)
    let database = OpenDatabase.inTest(view)
    let access = ZoneAccess(
      address: Self.zone.address, zone: Self.zone, role: isPublic ? .visitor : .owner,
      policy: database.policy)
    let snapshot = RecordSnapshot(
      access: access, records: named.filter { pendingDeletions[$0.key] == nil }, schema: schema,
      pendingDeletions: pendingDeletions)
    let writer = RecordWriter(user: Situation.anna, deviceID: "2", now: Situation.now)
    var refused: [Int: RecordDecision.Refusal] = [:]
    while true {
      let decision = RecordDecision(
        operations.map(SentOperation.init), on: snapshot, by: writer, in: database,
        isAtomic: isAtomic, refused: refused)
      let references = ReferenceDecision(
        decision, on: snapshot,
        try ReferenceSnapshot(
          loading: decision, on: snapshot, schema: schema, childrenHoldParents: !isPublic,
          budget: budget, of: self),
        by: writer, requiresTargets: requiresTargets, isAtomic: isAtomic)
      if references.refusals.isEmpty { return (decision, references) }
      refused.merge(references.refusals) { first, _ in first }
    }
  }

  // The methods of the store. They search all records.

  func latestStates(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord] { try records(named: names, in: zone) }

  func records(
    numbered numbers: [Int64], in zone: StoredZone
  ) throws(ServerError) -> [Int64: StoredRecord] {
    Dictionary(
      records.filter { numbers.contains($0.number) }.map { ($0.number, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  func records(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    let names = Set(names.map(ExactName.init))
    var found: [ExactName: StoredRecord] = [:]
    for record in records where names.contains(ExactName(record.name)) {
      found[ExactName(record.name)] = record
    }
    return found
  }

  func links(
    _ kind: LinkKind, to targets: [String], in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [RecordLink] {
    var links: [RecordLink] = []
    for record in records {
      links += try DerivedRows(of: record, schema: schema).links.filter {
        $0.kind == kind && targets.contains($0.target)
      }
    }
    links.sort { ($0.target, $0.source) < ($1.target, $1.source) }
    return Array(links.prefix(limit))
  }

  func links(
    _ kind: LinkKind, to target: String, after source: String?, in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [RecordLink] {
    let all = try links(kind, to: [target], in: zone, limit: .max)
    return Array(all.filter { $0.source > source ?? "" }.prefix(limit))
  }

  /// The zone has no shares.
  func hierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String] { [:] }

  func readableHierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String] { [:] }

  func existing(_ names: [String], in zone: StoredZone) throws(ServerError) -> Set<ExactName> {
    Set(try records(named: names, in: zone).keys)
  }

  func unfinishedCascades(limit: Int) throws(ServerError) -> [UnfinishedCascade] {
    Array(cascades.prefix(limit))
  }

  func hasUnfinishedCascades(in zone: StoredZone) throws(ServerError) -> Bool {
    !cascades.isEmpty
  }

  func unfinishedCascades(
    of targets: [String], in zone: StoredZone
  ) throws(ServerError) -> [UnfinishedCascade] {
    cascades.filter { targets.contains($0.target) }
  }
}

extension UnfinishedCascade {
  /// An unfinished cascade of a record that was deleted by the change with this number.
  static func of(_ target: String, change: Int64) -> UnfinishedCascade {
    UnfinishedCascade(
      zone: Family.zone, target: target, change: change, userRecordName: Situation.anna,
      deviceID: "2")
  }
}

extension RecordOperation {
  /// Saves a note that refers to other notes. A nil list keeps the stored list.
  static func save(
    _ name: String, parent: ParentChange = .unchanged, deleteSelf: [String]? = nil,
    validated: [String]? = nil, _ kind: Kind = .forceUpdate, tag: String? = nil
  ) throws -> RecordOperation {
    var members: [String] = []
    func add(_ field: String, _ names: [String]?, _ action: String) {
      guard let names else { return }
      let list = names.map { #"{"recordName":"\#($0)","action":"\#(action)"}"# }
      members.append(
        #""\#(field)":{"type":"REFERENCE_LIST","value":[\#(list.joined(separator: ","))]}"#)
    }
    add("owners", deleteSelf, "DELETE_SELF")
    add("checked", validated, "VALIDATE")
    return try .on(
      name, kind, tag: tag, fields: "{\(members.joined(separator: ","))}", parent: parent)
  }

  static func delete(_ name: String) throws -> RecordOperation { try .on(name, .forceDelete) }
}
