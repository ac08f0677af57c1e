import StratusTesting
import StratusTransport
import StratusWire

/// One writer, which has its own records in each zone. It writes them, one request after the other,
/// until the round ends.
struct Writer {
  static let recordType = "Crash"
  static let namesPerLane = 30

  let ledger: Ledger
  let laneIndices: [Int]
  let connection: Connection
  var chance: SeededChance
  /// Counts writes that a full disk refuses. If it is nil, a refusal is a fault.
  var refusals: Refusals?

  mutating func run() async {
    while !ledger.isDead {
      let index = laneIndices.randomElement(using: &chance) ?? 0
      let isSingle = chance.percent(50)
      let (batch, operations) = plan(for: ledger.lane(index), isSingle: isSingle)
      guard await send(operations, as: batch, in: index) else { return }
    }
  }

  /// Creates a batch of random size. Its operations are legal in the acknowledged state.
  private mutating func plan(
    for lane: WriterRecords, isSingle: Bool
  ) -> (WriterRecords.Batch, [RecordOperation]) {
    var batch = WriterRecords.Batch(number: lane.newestNumber + 1)
    var operations: [RecordOperation] = []
    let size = isSingle ? 1 : Int.random(in: 1...20, using: &chance)
    let names = (0..<Self.namesPerLane).shuffled(using: &chance).prefix(size)
    for name in names.map({ "\(lane.prefix)\($0)" }) {
      let exists = lane.acknowledged[name] != nil
      if exists, chance.percent(20) {
        let tag = chance.percent(50) ? lane.tags[name] : nil
        operations.append(
          RecordOperation(
            tag == nil ? .forceDelete : .delete, recordName: name, recordChangeTag: tag))
        batch.deleted.append(name)
        continue
      }
      let kind: RecordOperation.Kind =
        chance.percent(30) ? .forceReplace : exists ? .update : .create
      operations.append(
        Self.save(
          kind, name, tag: kind == .update ? lane.tags[name] : nil, number: batch.number,
          text: String(repeating: "x", count: Int.random(in: 0...600, using: &chance))))
      batch.saved.append(name)
    }
    return (batch, operations)
  }

  /// Returns a save that stores the number of its batch in the record.
  static func save(
    _ kind: RecordOperation.Kind, _ name: String, tag: String?, number: Int64, text: String
  ) -> RecordOperation {
    let fields = FieldsJSON([("number", .int64(number)), ("text", .string(text))])
    return RecordOperation(
      kind, recordName: name, recordType: recordType, recordChangeTag: tag,
      fields: try? JSONView(parsing: fields.text))
  }

  /// Sends a batch and records its answer.
  ///
  /// - Returns: whether the writer can continue.
  func send(_ operations: [RecordOperation], as batch: WriterRecords.Batch, in index: Int) async
    -> Bool
  {
    ledger.issue(batch, in: index)
    let request = ModifyRecords.Request(
      zoneID: CrashZones.ids[ledger.lane(index).zone], operations: operations, isAtomic: true)
    do {
      // NB: the batch is sent only once, because a repeated save would conflict with itself.
      let answer = try await connection.send(
        ModifyRecords.self, request, to: .private, isIdempotent: false,
        options: Connection.Options(requestTimeoutSeconds: 20))
      return note(answer, to: operations, in: index)
    } catch {
      if let refusals, error.isOfFullDisk {
        refusals.count()
        ledger.withdraw(in: index)
        return true
      }
      if !ledger.isDead { ledger.note(fault: "a write failed on a running server: \(error)") }
      return false
    }
  }

  private func note(
    _ answer: RecordsResponse, to operations: [RecordOperation], in index: Int
  ) -> Bool {
    var tags: [String: String] = [:]
    for (operation, item) in zip(operations, answer.records) {
      switch item {
      case .record(let record): tags[record.recordName] = record.recordChangeTag
      case .deleted: continue
      case .failure(let failure):
        ledger.note(
          fault: "\(operation.kind) of \(failure.recordName) was refused: "
            + "\(failure.error.code) \(failure.error.reason)")
        return false
      }
    }
    guard answer.records.count == operations.count else {
      ledger.note(fault: "\(answer.records.count) answers to \(operations.count) operations")
      return false
    }
    ledger.acknowledge(in: index, tags: tags)
    return true
  }
}

/// The two zones for the writes.
enum CrashZones {
  static let ids = [ZoneID(zoneName: "First"), ZoneID(zoneName: "Second")]
}
