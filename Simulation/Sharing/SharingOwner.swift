import StratusTransport
import StratusWire

/// The owner of a zone. The owner saves, moves and deletes records, shares hierarchies, and changes
/// participants, by direct requests.
///
/// The owner does not need to know the results: the truth is what the server's store contains.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingOwner: @unchecked Sendable {
  private let household: SharingHousehold
  private let life = Life()
  private let connection: Connection
  /// The share records as the server returned them last, by record name.
  private var shares: [String: RecordDictionary] = [:]

  private static let names = (1...7).map { "r\($0)" }
  private static let zoneID = ZoneID(zoneName: SharingTruth.zone)

  init(household: SharingHousehold) {
    self.household = household
    connection = household.connection(of: "owner", user: SharingTruth.owner, life)
  }

  func start() { Task { await live() } }

  func stop() { life.end() }

  private func live() async {
    while life.goesOn(), household.isEditing {
      await makeZone()
      try? await Loop.shared.sleep(household.pauseSeconds(0.05...0.6))
      if !life.goesOn() || !household.isEditing { return }
      await step()
    }
  }

  /// Creates the zone. After a restore, the server may have lost it.
  private func makeZone() async {
    let request = ModifyZones.Request(
      operations: [ModifyZones.Operation(.create, Self.zoneID)])
    _ = try? await connection.send(ModifyZones.self, request, to: .private, isIdempotent: true)
  }

  private func step() async {
    guard let name = household.one(of: Self.names) else { return }
    switch household.number(0...99) {
    case 0..<45: await send(save(name))
    case 45..<52: await send(RecordOperation(.forceDelete, recordName: name))
    case 52..<64: await send(share(name))
    case 64..<68:
      if let share = household.one(of: shares.keys) {
        await send(RecordOperation(.forceDelete, recordName: share))
      }
    default: if let operation = someChange() { await send(operation) }
    }
  }

  private func save(_ name: String) -> RecordOperation {
    let parent: ParentChange =
      switch household.number(0...9) {
      case 0..<4: .unchanged
      case 4: .removed
      default:
        household.one(of: Self.names.filter { $0 != name }).map { .set(recordName: $0) }
          ?? .removed
      }
    household.ledger.say("owner: saves \(name), parent \(parent)")
    let fields = FieldsJSON([("secret", .string(household.newText(of: name)))])
    return RecordOperation(
      .forceUpdate, recordName: name, recordType: "Note",
      fields: try? JSONView(parsing: fields.text), parent: parent)
  }

  private func share(_ root: String) -> RecordOperation {
    var operation = RecordOperation(
      .create, recordName: "S\(root)", recordType: ShareRecord.recordType)
    operation.share = ShareInput(rootRecordName: root, participants: someGuests())
    household.ledger.say("owner: shares \(root)")
    return operation
  }

  /// Returns a change of the participants or of the public permission of a known share.
  private func someChange() -> RecordOperation? {
    guard let name = household.one(of: shares.keys), let share = shares[name] else { return nil }
    var operation = RecordOperation(
      .update, recordName: name, recordType: ShareRecord.recordType,
      recordChangeTag: share.recordChangeTag)
    switch household.number(0...9) {
    case 0..<6: operation.share = ShareInput(participants: someGuests())
    case 6: operation.share = ShareInput(publicPermission: .readWrite)
    case 7: operation.share = ShareInput(publicPermission: .some(.none))
    case 8:
      operation.share = ShareInput(
        blockedRequesters: household.one(of: SharingTruth.guests).map { [$0] } ?? [])
    default: operation.share = ShareInput(unblockedIdentities: SharingTruth.guests)
    }
    household.ledger.say("owner: changes \(name)")
    return operation
  }

  private func someGuests() -> [ShareParticipant] {
    SharingTruth.guests.filter { _ in household.percent(65) }.map { guest in
      ShareParticipant(
        identity: ParticipantIdentity(lookup: .userRecordName(guest)),
        permission: household.percent(60) ? .readWrite : .readOnly)
    }
  }

  /// Sends one operation. It may fail: a record may be the parent of others, a hierarchy may be
  /// shared already, and an answer may be lost.
  private func send(_ operation: RecordOperation) async {
    let request = ModifyRecords.Request(
      zoneID: Self.zoneID, operations: [operation], isAtomic: true)
    guard
      let response = try? await connection.send(
        ModifyRecords.self, request, to: .private, isIdempotent: true),
      let item = response.records.first
    else { return }
    switch item {
    case .record(let record): note(record)
    case .deleted(let tombstone): shares[tombstone.recordName] = nil
    case .failure(let failure):
      if let record = failure.serverRecord { note(record) }
      if failure.error.code == .notFound { shares[failure.recordName] = nil }
      if failure.error.code == .internalError {
        household.ledger.violated("owner: \(failure.recordName): \(failure.error)")
      }
    }
  }

  private func note(_ record: RecordDictionary) {
    guard record.recordType == ShareRecord.recordType else { return }
    shares[record.recordName] = record
    if let shortGUID = record.shortGUID { household.shortGUIDs.insert(shortGUID) }
  }
}
