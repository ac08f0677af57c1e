public import StratusWire

/// Writes the lines and files of an export into the databases of a user. Everything can be written
/// again after a crash.
///
/// Records are saved with the user's own rights, as a device would save them: with new change
/// tags, the present time, and all checks of the schema and the quotas.
public struct UserImport: Sendable {
  /// The result of writing some lines.
  public struct Outcome: Sendable {
    /// The numbers of written things by kind.
    public var counts: [String: Int64] = [:]
    /// The things that were not written, each with its reason.
    public var refusals: [ImportRefusal] = []

    mutating func count(_ kind: String) { counts[kind, default: 0] += 1 }

    mutating func refuse(_ kind: String, _ name: String, _ reason: String) {
      refusals.append(ImportRefusal(kind: kind, name: name, reason: reason))
    }
  }

  /// The user who gets the data, and the name of the user in the export.
  public struct Target: Sendable {
    let session: UserSession
    let address: StoreAddress
    let formerName: String

    public init(session: UserSession, address: StoreAddress, formerName: String) {
      self.session = session
      self.address = address
      self.formerName = formerName
    }

    var user: String { session.userRecordName }
    /// Whether encrypted values can be opened again: their ciphertext is bound to the user's name.
    var keepsName: Bool { user == formerName }
  }

  let databases: DatabaseAccess
  let assets: any AssetStore
  let ambient: Ambient
  let saves: ModifyRecordsHandler
  let changes: any Signals

  private static let shareReason =
    "shares are not restored, because their participants are users of the other server; share "
    + "again"
  private static let sealedReason =
    "encrypted values are bound to the user's name in the export; only the same account on the "
    + "same server can open them"

  /// Writes lines.
  ///
  /// - Throws: an error that ends the request. The lines before the one that failed may have been
  ///   written.
  public func write(
    _ lines: [ArchiveLine], to target: Target
  ) async throws(ServerError) -> Outcome {
    var outcome = Outcome()
    var records: [(ArchiveZone, ArchiveRecord)] = []
    for line in lines {
      if case .record(let zone, let record) = line {
        if let last = records.last, last.0 != zone {
          try await save(records, to: target, &outcome)
          records = []
        }
        records.append((zone, record))
        continue
      }
      try await save(records, to: target, &outcome)
      records = []
      try await write(line, to: target, &outcome)
    }
    try await save(records, to: target, &outcome)
    return outcome
  }

  private func write(
    _ line: ArchiveLine, to target: Target, _ outcome: inout Outcome
  ) async throws(ServerError) {
    switch line {
    case .note, .store, .record, .end: return
    case .userKey(let key):
      guard target.keepsName else { return }
      let user = target.user
      let isKept = try await store(of: target).write { (store) throws(ServerError) in
        if let standing = try store.userKey(of: user) { return standing == key }
        try store.setUserKey(key, of: user)
        return true
      }
      if isKept {
        outcome.count("keys")
      } else {
        outcome.refuse("userKey", target.user, "the user has another key now")
      }
    case .zone(let zone, let scope): try await make(zone, scope, target, &outcome)
    case .zoneKey(let zone, let key):
      guard target.keepsName, !zone.isPublic else { return }
      try await add(key, to: zone, target, &outcome)
    case .subscription(let scope, let subscription):
      let name = subscription.id ?? ""
      if scope == .shared {
        outcome.refuse("subscription", name, "it belongs to the shares of others")
        return
      }
      do throws(ServerError) {
        let answer = try await ModifySubscriptionsHandler(databases: databases, ambient: ambient)
          .answer(
            ModifySubscriptions.Request(operations: [.save(subscription)]),
            to: caller(target), in: DatabaseAddress(store: target.address, scope: scope))
        if case .failure(_, let error)? = answer.subscriptions.first {
          outcome.refuse("subscription", name, error.reason)
        } else {
          outcome.count("subscriptions")
        }
      } catch {
        try Self.pass(error)
        outcome.refuse("subscription", name, error.reason)
      }
    }
  }

  private func make(
    _ zone: ArchiveZone, _ scope: EncryptionScope, _ target: Target, _ outcome: inout Outcome
  ) async throws(ServerError) {
    guard !zone.isPublic, zone.name != ZoneID.defaultZoneName else { return }
    let request = ModifyZones.Request(operations: [
      ModifyZones.Operation(.create, ZoneID(zoneName: zone.name), encryptionScope: scope)
    ])
    do throws(ServerError) {
      let answer = try await ModifyZonesHandler(
        databases: databases, ambient: ambient, changes: changes
      ).answer(
        request, to: caller(target),
        in: DatabaseAddress(store: target.address, scope: .private))
      if case .failure(_, let error)? = answer.zones.first {
        outcome.refuse("zone", zone.name, error.reason)
      } else {
        outcome.count("zones")
      }
    } catch {
      try Self.pass(error)
      outcome.refuse("zone", zone.name, error.reason)
    }
  }

  private func add(
    _ key: WrappedZoneKey, to zone: ArchiveZone, _ target: Target, _ outcome: inout Outcome
  ) async throws(ServerError) {
    let address = ZoneAddress(database: .private(owner: target.user), name: zone.name)
    let user = target.user
    let isAdded = try await store(of: target).write(to: [address]) { (store) throws(ServerError) in
      guard let zone = try store.lockZone(named: address.name, in: address.database),
        let own = try store.userKey(of: user), key.recipient == own
      else { return false }
      let known = try store.zoneKeys(of: zone)
      if known.contains(where: { $0.keyID == key.keyID && $0.recipient == key.recipient }) {
        return true
      }
      // NB: a zone or hierarchy that already has a key in use gets no second key in use.
      guard known.count < Self.zoneKeysMax,
        key.isRetired
          || !known.contains(where: { !$0.isRetired && $0.isOf(root: key.rootRecordName) })
      else { return false }
      try store.add(key, to: zone)
      return true
    }
    if isAdded { outcome.count("keys") }
  }

  /// The maximum number of keys that an import gives to a zone. Choice: more than a zone gets by
  /// changes of its participants in years.
  private static let zoneKeysMax = 10_000

  // Records

  private func save(
    _ records: [(ArchiveZone, ArchiveRecord)], to target: Target, _ outcome: inout Outcome
  ) async throws(ServerError) {
    guard let zone = records.first?.0 else { return }
    var operations: [RecordOperation] = []
    for (_, record) in records {
      if record.type == ShareRecord.recordType || record.share != nil {
        outcome.refuse("share", record.name, Self.shareReason)
        continue
      }
      do throws(ServerError) {
        operations.append(try operation(record, in: zone, target, &outcome))
      } catch {
        outcome.refuse("record", record.name, error.reason)
      }
    }
    if operations.isEmpty { return }
    let request = ModifyRecords.Request(
      zoneID: zone.isPublic ? nil : ZoneID(zoneName: zone.name), operations: operations,
      isAtomic: false)
    let address = DatabaseAddress(store: target.address, scope: zone.isPublic ? .public : .private)
    do throws(ServerError) {
      let answer = try await saves.answer(request, to: caller(target), in: address)
      for item in answer.records {
        if case .failure(let failure) = item {
          outcome.refuse("record", failure.recordName, failure.error.reason)
        } else {
          outcome.count(zone.isPublic ? "publicRecords" : "records")
        }
      }
    } catch {
      try Self.pass(error)
      for operation in operations {
        outcome.refuse("record", operation.recordName ?? "", error.reason)
      }
    }
  }

  private func operation(
    _ record: ArchiveRecord, in zone: ArchiveZone, _ target: Target, _ outcome: inout Outcome
  ) throws(ServerError) -> RecordOperation {
    let isUsers = record.type == UserRecords.recordType && record.name == target.formerName
    let links = AssetLinks(
      tickets: databases.tickets, address: target.address,
      database: zone.isPublic ? .public : .private(owner: target.user), serverURL: "",
      now: ambient.now())
    var fields: [(key: String, value: FieldValue)] = []
    do throws(WireError) {
      for (key, value) in try record.fields.values()
      where !(isUsers && key == UserRecords.rolesField) {
        if case .sealed = value, !target.keepsName {
          outcome.refuse("encryptedValue", "\(record.name).\(key)", Self.sealedReason)
          continue
        }
        fields.append((key, Self.moved(value, links, target)))
      }
      return RecordOperation(
        isUsers ? .forceUpdate : .forceReplace, recordName: isUsers ? target.user : record.name,
        recordType: record.type, fields: try JSONView(parsing: FieldsJSON(fields).text),
        parent: record.parentName.map { .set(recordName: $0) } ?? .unchanged)
    } catch {
      throw ServerError(error)
    }
  }

  /// Returns a value with receipts for its assets, and with the user's new name in its references.
  private static func moved(_ value: FieldValue, _ links: AssetLinks, _ target: Target)
    -> FieldValue
  {
    switch value {
    case .asset(var asset):
      if let checksum = asset.checksumBytes {
        asset.receipt = links.receipt(for: WholeFile(checksum: checksum, size: asset.size))
      }
      return .asset(asset)
    case .reference(var reference):
      if reference.recordName == target.formerName { reference.recordName = target.user }
      if reference.zoneID?.ownerRecordName == target.formerName {
        reference.zoneID?.ownerRecordName = target.user
      }
      return .reference(reference)
    case .list(let element, let values):
      return .list(element, values.map { moved($0, links, target) })
    case .string, .int64, .double, .timestamp, .bytes, .location, .sealed: return value
    }
  }

  // Assets

  /// Writes bytes of an asset. The asset is registered when it is complete.
  ///
  /// - Returns: the number of bytes that the server has. If it differs from the end of the bytes,
  ///   the sender continues from there.
  /// - Throws: `BAD_REQUEST` if the contents have another checksum; `QUOTA_EXCEEDED` if the asset
  ///   is too large, or if the bytes do not fit into its size.
  public func write(
    _ bytes: [UInt8], at offset: Int64, ofAsset checksum: [UInt8], size: Int64, to target: Target
  ) async throws(ServerError) -> Int64 {
    guard size <= Limits.assetSizeBytesMax, offset >= 0, size >= 0,
      offset + Int64(bytes.count) <= size
    else { throw ServerError(.quotaExceeded, Reason.assetTooLarge) }
    let store = try await store(of: target)
    let (now, user) = (ambient.now(), target.user)
    // NB: the time of the file is renewed, so that the file stays until its records are saved.
    let isThere = try await store.write { (store) throws(ServerError) -> Bool in
      guard var known = try store.asset(checksum: checksum), known.size == size else {
        return false
      }
      known.touched = now
      _ = try store.register(known)
      return true
    }
    if isThere { return size }
    // NB: an asset store accepts names of at most 64 characters.
    let upload = try await assets.open(
      upload: "import-" + String(checksum.hexText.prefix(48)), at: target.address,
      fromNothing: offset == 0)
    if upload.received == offset, !bytes.isEmpty { try await upload.append(bytes) }
    // NB: a complete upload is finished here, too, if the server stopped before it was finished.
    guard upload.received == size else {
      let received = upload.received
      await upload.close()
      return received
    }
    let name = ambient.makeUUID()
    let file = try await upload.finish(as: name)
    guard file.checksum == checksum, file.size == size else {
      try await assets.remove(file: name, at: target.address)
      throw .badRequest("a file of the archive does not have the contents that its name states")
    }
    let kept = try await store.write { (store) throws(ServerError) in
      let kept = try store.register(
        StoredAsset(checksum: checksum, file: name, size: size, touched: now))
      try store.noteUploader(user, ofAsset: checksum)
      return kept
    }
    if kept.file != name { try await assets.remove(file: name, at: target.address) }
    return size
  }

  private func store(of target: Target) async throws(ServerError) -> any Store {
    try await databases.stores.store(
      of: .private(owner: target.user), at: target.address)
  }

  private func caller(_ target: Target) -> Caller {
    Caller(
      principal: .userSession(target.session), deviceID: Caller.namelessDeviceID,
      requestUUID: ambient.makeUUID())
  }

  /// Throws an error that does not concern the contents, so that the sender repeats the request.
  private static func pass(_ error: ServerError) throws(ServerError) {
    switch error.code {
    case .internalError, .tryAgainLater, .throttled: throw error
    default: return
    }
  }
}
