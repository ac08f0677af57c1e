import StratusTransport
import StratusWire

/// The owner of a zone. By direct requests, the owner saves, moves and deletes records, shares
/// hierarchies, and changes participants.
///
/// The owner ignores most results, because ``SharingTruth`` reads the server's store instead.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingOwner: @unchecked Sendable {
  private let household: SharingHousehold
  private let life = Life()
  private let connection: Connection
  /// The device that seals encrypted values, or nil in seeds without such values.
  private let sealer: SharingSealer?
  /// The virtual time at which the owner excludes a guest, or nil in seeds without an exclusion.
  private let exclusionTime: Double?
  /// The share records as the server returned them last, by record name.
  private var shares: [String: RecordDictionary] = [:]

  private static let names = (1...7).map { "r\($0)" }
  private static let zoneID = ZoneID(zoneName: SharingTruth.zone)

  init(household: SharingHousehold) {
    self.household = household
    connection = household.connection(of: "owner", user: SharingTruth.owner, life)
    if let seals = household.seals {
      sealer = SharingSealer(household: household, seals: seals, life: life)
      // Without an exclusion, most guests are members again later, so they may open values that
      // were sealed while they were not members.
      exclusionTime =
        household.percent(60)
        ? Loop.shared.now + household.seconds * household.pauseSeconds(0.2...0.6) : nil
    } else {
      sealer = nil
      exclusionTime = nil
    }
  }

  func start() { Task { await live() } }

  func stop() {
    life.end()
    sealer?.stop()
  }

  /// Creates the zone, two trees of records, and their shares, so that in every seed there is a
  /// share to accept. In some seeds, the owner shares the whole zone instead.
  func prepare() async {
    await makeZone()
    var saves: [RecordOperation] = []
    for (index, name) in Self.names.enumerated() {
      let parent = index < 2 ? nil : household.one(of: Self.names.prefix(index))
      saves.append(save(name, parent: parent.map { .set(recordName: $0) } ?? .unchanged))
    }
    await send(saves)
    if household.percent(15) {
      await send([shareZone()])
    } else {
      for name in Self.names.prefix(2) { await send([share(name)]) }
    }
    await sealer?.prepare(Self.names)
  }

  private func live() async {
    while life.goesOn(), household.isEditing {
      try? await Loop.shared.sleep(household.pauseSeconds(0.05...0.3))
      if !life.goesOn() || !household.isEditing || household.isOwnerAway { return }
      await step()
    }
  }

  private func makeZone() async {
    let request = ModifyZones.Request(
      operations: [ModifyZones.Operation(.create, Self.zoneID)])
    _ = try? await connection.send(ModifyZones.self, request, to: .private, isIdempotent: true)
  }

  private func step() async {
    if let exclusionTime, Loop.shared.now >= exclusionTime { household.excludeGuest() }
    if household.hasExcludedGuest, household.percent(30) {
      if let operation = removalOfUninvitedGuests() { await send([operation]) }
      return
    }
    if let sealer, household.percent(50) {
      if household.percent(30) { return await sealer.sendURLs() }
      return await sealer.save(among: Self.names)
    }
    guard let name = household.one(of: Self.names) else { return }
    switch household.number(0...99) {
    case 0..<40: await send([save(name, parent: someParent(of: name))])
    case 40..<45: await send([RecordOperation(.forceDelete, recordName: name)])
    case 45..<55: await send([household.percent(10) ? shareZone() : share(name)])
    case 55..<59:
      if let share = household.one(of: shares.keys) {
        await send([RecordOperation(.forceDelete, recordName: share)])
      }
    default: if let operation = someChange() { await send([operation]) }
    }
  }

  private func someParent(of name: String) -> ParentChange {
    switch household.number(0...9) {
    case 0..<4: .unchanged
    case 4: .removed
    default:
      household.one(of: Self.names.filter { $0 != name }).map { .set(recordName: $0) } ?? .removed
    }
  }

  private func save(_ name: String, parent: ParentChange) -> RecordOperation {
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

  private func shareZone() -> RecordOperation {
    var operation = RecordOperation(
      .create, recordName: ShareRecord.zoneShareName, recordType: ShareRecord.recordType)
    operation.share = ShareInput(participants: someGuests())
    household.ledger.say("owner: shares the zone")
    return operation
  }

  /// Returns a change of the participants or of the public permission of a known share.
  private func someChange() -> RecordOperation? {
    guard let name = household.one(of: shares.keys), let share = shares[name] else { return nil }
    var operation = RecordOperation(
      .update, recordName: name, recordType: ShareRecord.recordType,
      recordChangeTag: share.recordChangeTag)
    switch household.number(0...9) {
    case 0..<5: operation.share = ShareInput(participants: someGuests())
    case 5: operation.share = ShareInput(publicPermission: somePublicPermission())
    case 6: operation.share = ShareInput(publicPermission: .some(.none))
    case 7, 8:
      // In most cases, the share also becomes public, because a user without an invitation can try
      // to join only a public share.
      operation.share = ShareInput(
        publicPermission: household.percent(60) ? somePublicPermission() : nil,
        blockedRequesters: household.one(of: SharingTruth.guests).map { [$0] } ?? [])
    default: operation.share = ShareInput(unblockedIdentities: SharingTruth.guests)
    }
    household.ledger.say("owner: changes \(name)")
    return operation
  }

  /// Returns a change that limits a known share to the guests whom the owner still invites.
  private func removalOfUninvitedGuests() -> RecordOperation? {
    guard let name = household.one(of: shares.keys), let share = shares[name] else { return nil }
    var operation = RecordOperation(
      .update, recordName: name, recordType: ShareRecord.recordType,
      recordChangeTag: share.recordChangeTag)
    operation.share = ShareInput(
      publicPermission: .some(.none), participants: household.invitedGuests.map(participant))
    household.ledger.say("owner: limits \(name) to the invited guests")
    return operation
  }

  /// After the exclusion of a guest, no share is public, because any user can join a public share.
  private func somePublicPermission() -> SharePermissionName {
    household.hasExcludedGuest ? .none : .readWrite
  }

  private func someGuests() -> [ShareParticipant] {
    household.invitedGuests.filter { _ in household.percent(75) }.map(participant)
  }

  private func participant(_ guest: String) -> ShareParticipant {
    ShareParticipant(
      identity: ParticipantIdentity(lookup: .userRecordName(guest)),
      permission: household.percent(50) ? .readWrite : .readOnly)
  }

  /// Sends operations in one request. The operations may fail: a record may be the parent of
  /// others, a hierarchy may be shared already, an answer may be lost, and after a restore there
  /// may be no zone.
  private func send(_ operations: [RecordOperation]) async {
    let request = ModifyRecords.Request(
      zoneID: Self.zoneID, operations: operations, isAtomic: true)
    do {
      let response = try await connection.send(
        ModifyRecords.self, request, to: .private, isIdempotent: true)
      for item in response.records { note(item) }
      if response.records.contains(where: isWithoutZone) { await makeZone() }
    } catch {
      household.ledger.saw("request of the owner that failed")
      await makeZone()
    }
  }

  private func isWithoutZone(_ item: RecordItem) -> Bool {
    guard case .failure(let failure) = item else { return false }
    return failure.error.code == .zoneNotFound
  }

  private func note(_ item: RecordItem) {
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
    guard record.recordType == ShareRecord.recordType else {
      household.ledger.saw("save of the owner")
      return
    }
    household.ledger.saw("save of a share")
    shares[record.recordName] = record
    if let shortGUID = record.shortGUID { household.shortGUIDs.insert(shortGUID) }
  }
}
