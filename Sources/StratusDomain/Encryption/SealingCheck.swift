import StratusWire

/// Refuses saves with values that are sealed with the key of a hierarchy in which the record is not
/// after the batch. The participants of that hierarchy have the key, but may not see the record.
///
/// A device cannot prevent such a save alone. It asks for the record's place before it seals the
/// values. Afterwards another device may move the record, or a record above it. The batch itself
/// may also move a record above it, or the server may refuse a part of the batch. So the server
/// finds the place again in the transaction of the save.
///
/// The check accepts each value that is sealed with the key of the zone. Participants of
/// hierarchies do not have this key. The check also accepts unchanged values. A web client may send
/// them back although it cannot seal them again, and the batch then reveals nothing new.
struct SealingCheck {
  typealias Refusal = RecordDecision.Refusal

  let access: ZoneAccess
  let decision: RecordDecision
  /// The roots of the hierarchies whose keys sealed the values, by key ID.
  let keyRoots: [[UInt8]: String]
  let changes: PlaceChanges
  /// Returns the live state of a record before the batch.
  let stored: (String) -> StoredRecord?

  /// Returns the refusals, by the positions of the operations.
  func refusals(in store: any StoreReading) throws(ServerError) -> [Int: Refusal] {
    guard let zone = access.zone else { return [:] }
    var saves: [(index: Int, record: StoredRecord, roots: Set<ExactName>)] = []
    for (index, keyIDs) in decision.sealingKeyIDs {
      guard case .saved(let record) = decision.outcomes[index] else { continue }
      let roots = Set(keyIDs.compactMap { keyRoots[$0] }.map(ExactName.init))
      if !roots.isEmpty { saves.append((index, record, roots)) }
    }
    if saves.isEmpty { return [:] }
    // NB: the stored passages are not used, because they may be outdated until a later step.
    let places = try store.walkedHierarchies(
      of: saves.map(\.record.name), in: zone, after: changes)
    var refusals: [Int: Refusal] = [:]
    for (index, record, roots) in saves {
      let place = places[record.name]
      if let place, roots == [ExactName(place)] { continue }
      if try changesValue(of: record, sealedOutside: place) {
        refusals[index] = refusal(inPlace: place)
      }
    }
    return refusals
  }

  /// Whether a save changes a value, and the key of the new value belongs to another hierarchy than
  /// that of `root`.
  private func changesValue(
    of record: StoredRecord, sealedOutside root: String?
  ) throws(ServerError) -> Bool {
    guard let old = stored(record.name) else { return true }
    var before: [String: FieldValue] = [:]
    for (field, value) in try values(of: old) { before[field] = value }
    for (field, value) in try values(of: record) {
      guard case .sealed(_, let bytes) = value, before[field] != value,
        let keyID = SealedEnvelope.keyID(of: bytes), let keyRoot = keyRoots[keyID]
      else { continue }
      if root.map(ExactName.init) != ExactName(keyRoot) { return true }
    }
    return false
  }

  private func values(
    of record: StoredRecord
  ) throws(ServerError) -> [(key: String, value: FieldValue)] {
    do { return try record.fields.values() } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }

  /// Returns the refusal of a record in a hierarchy, or in no hierarchy if `root` is nil. The
  /// refusal names the hierarchy, so that the device can seal the values again.
  private func refusal(inPlace root: String?) -> Refusal {
    let error = ServerError(.tryAgainLater, Reason.sealedElsewhere, retryAfterSeconds: 1)
    if access.showsKeys(ofRoot: root) { return Refusal(error, sealingRoot: root) }
    // A participant of the whole zone has the key of the zone.
    if access.showsKeys(ofRoot: nil) { return Refusal(error) }
    return Refusal(ServerError(.accessDenied, Reason.accessDenied))
  }
}
