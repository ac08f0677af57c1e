import StratusWire
import Testing

@testable import StratusDomain

/// The input of a decision about one zone.
struct Situation: Sendable {
  static let anna = "_0123456789abcdef0123456789abcdef"
  static let bea = "_fedcba9876543210fedcba9876543210"
  /// The time of the stored records' last change, in milliseconds since 1970 UTC.
  static let past: Int64 = 1_767_225_600_000
  static let now: Int64 = past + 60_000

  var database = DatabaseKey.private(owner: anna)
  var environment = ContainerEnvironment.development
  var user = anna
  var zoneName = "Work"
  var isAtomic = false
  var stored: [StoredRecord] = []
  var schema = Schema()

  /// A zone with one record, `n-1`, of type Note with a title and a count.
  static func oneNote(by user: String = anna) throws -> Situation {
    var situation = Situation()
    let stamp = Stamp(timestamp: past, userRecordName: user, deviceID: "1")
    situation.stored = [
      StoredRecord(
        name: "n-1", type: "Note", change: 3, isDeleted: false, created: stamp, modified: stamp,
        parentRecordName: "p-1",
        fields: FieldsJSON([("title", .string("Milk")), ("count", .int64(1))]))
    ]
    situation.schema.add(
      SchemaAddition(
        recordTypes: ["Note"],
        fields: [
          .init(recordType: "Note", name: "title", type: FieldType(.string)),
          .init(recordType: "Note", name: "count", type: FieldType(.int64)),
        ]))
    return situation
  }

  /// Returns the decision for several operations.
  func decide(_ operations: [RecordOperation]) -> RecordDecision {
    let change = stored.map(\.change).max() ?? 0
    let zone = StoredZone(
      id: 7, database: database, name: zoneName, change: change, clientChangeToken: nil)
    let records = Dictionary(uniqueKeysWithValues: stored.map { (ExactName($0.name), $0) })
    let access = ZoneAccess(
      address: zone.address, zone: zone, role: database == .public ? .visitor : .owner,
      policy: open.policy)
    return RecordDecision(
      operations.map(SentOperation.init),
      on: RecordSnapshot(access: access, records: records, schema: schema),
      by: RecordWriter(user: user, deviceID: "2", now: Self.now), in: open, isAtomic: isAtomic)
  }

  /// Returns the result of one operation.
  func decide(_ operation: RecordOperation) throws -> Verdict {
    try Verdict(#require(decide([operation]).outcomes.first))
  }

  private var open: OpenDatabase {
    .inTest(DatabaseView(of: database), environment: environment, user: user)
  }
}

extension OpenDatabase {
  /// A database without a store, opened by a user.
  static func inTest(
    _ view: DatabaseView, environment: ContainerEnvironment = .development,
    user: String = Situation.anna
  ) -> OpenDatabase {
    var caller = Caller(userRecordName: user, deviceID: "2", requestUUID: "R")
    caller.serverURL = "http://stratus.test"
    return OpenDatabase(
      store: NoStore(), address: StoreAddress(container: "iCloud.a", environment: environment),
      view: view, caller: caller, tickets: AssetTickets(signer: PlainSigner()),
      openedAt: Situation.now)
  }
}

/// A signer without a secret. A test can compute the expected signatures.
struct PlainSigner: TicketSigner {
  func signature(of bytes: [UInt8]) -> [UInt8] {
    [UInt8](repeating: bytes.reduce(1) { $0 &* 31 &+ $1 }, count: 32)
  }

  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    signature == self.signature(of: bytes)
  }

  func encrypted(_ bytes: [UInt8]) -> [UInt8] { bytes + signature(of: bytes) }

  func decrypted(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 32 else { return nil }
    let body = Array(bytes.dropLast(32))
    return isValid(Array(bytes.suffix(32)), of: body) ? body : nil
  }
}

/// The expected kind of result of one operation.
enum Verdict: Sendable, Hashable {
  case saved, deleted
  case refused(ErrorCode)

  init(_ outcome: RecordDecision.Outcome) {
    switch outcome {
    case .saved: self = .saved
    case .deleted: self = .deleted
    case .refused(let refusal): self = .refused(refusal.error.code)
    }
  }
}

extension RecordDecision {
  var verdicts: [Verdict] { outcomes.map(Verdict.init) }

  /// The error of an operation, or nil if the operation was not refused.
  func refusal(at index: Int) -> Refusal? {
    guard outcomes.indices.contains(index), case .refused(let refusal) = outcomes[index]
    else { return nil }
    return refusal
  }
}

extension RecordOperation {
  /// An operation on a note.
  static func on(
    _ name: String?, _ kind: Kind, type: String? = "Note", tag: String? = nil,
    fields: String? = nil, parent: ParentChange = .unchanged
  ) throws -> RecordOperation {
    RecordOperation(
      kind, recordName: name, recordType: type, recordChangeTag: tag,
      fields: try fields.map { try JSONView(parsing: Array($0.utf8)) }, parent: parent)
  }
}

/// A store whose calls all fail. A pure decision does not read it.
struct NoStore: Store {
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value { throw .fault("a decision asked the store") }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value { throw .fault("a decision asked the store") }
}
