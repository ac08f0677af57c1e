import StratusTransport
import StratusWire

/// The name of a record, or none, as the key of a set or dictionary. Names are compared by their
/// bytes, as the server compares them.
struct ExactKey: Hashable {
  let text: String?

  init(_ text: String?) { self.text = text }

  static func == (one: ExactKey, other: ExactKey) -> Bool {
    switch (one.text, other.text) {
    case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
    case (nil, nil): true
    case (.some, nil), (nil, .some): false
    }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(text == nil)
    for byte in (text ?? "").utf8 { hasher.combine(byte) }
  }
}

extension PreparedBatch {
  /// The facts about a record that decide which shared hierarchy contains it.
  private struct Place {
    let name: String
    let parent: String?
    /// Whether the record may be a shared root.
    let hasShare: Bool
  }

  /// Returns, for each item of the batch, the root of the shared hierarchy that will contain the
  /// record. `ExactKey(nil)` means that no shared hierarchy will contain the record. nil means that
  /// the item has no encrypted values to send.
  ///
  /// The server knows the hierarchies of the other records of the zone. It is asked only if a
  /// record with encrypted values has a parent or a share.
  ///
  /// NB: the result may be wrong, because another device, or the batch itself, may move records
  /// that are not in the batch. The server then refuses the save and names the right place.
  func places(
    by keyRing: KeyRing, options: KeyRing.Options
  ) async throws(KeyFailure) -> [ExactKey?] {
    let places = items.map(Self.place)
    let inBatch = Dictionary(
      places.compactMap { place in place.map { (ExactKey($0.name), $0) } }, uniquingKeysWith: { $1 }
    )
    var newRoots: Set<ExactKey> = []
    for item in items {
      guard case .save(let record, _) = item, let share = record as? CKShare else { continue }
      if let root = share.snapshot.sharing?.rootRecordID {
        newRoots.insert(ExactKey(root.recordName))
      }
    }
    var asked: Set<ExactKey> = []
    for (item, place) in zip(items, places) {
      guard item.hasEncryptedFields, let place, namedPlaces[ExactKey(place.name)] == nil else {
        continue
      }
      for step in Self.chain(from: place, in: inBatch) where !newRoots.contains(ExactKey(step.name))
      {
        if step.hasShare { asked.insert(ExactKey(step.name)) }
        if let parent = step.parent, inBatch[ExactKey(parent)] == nil {
          asked.insert(ExactKey(parent))
        }
      }
    }
    var known: [ExactKey: String] = [:]
    for root in newRoots { known[root] = root.text }
    if !asked.isEmpty {
      let names = asked.compactMap(\.text).sorted()
      for (name, root) in try await keyRing.roots(of: names, in: zoneID.wire, options: options)
      where known[ExactKey(name)] == nil {
        // NB: for a record of the batch, the server's answer may be outdated, because the batch may
        // move the record to another hierarchy. The answer is used only if the record is itself a
        // root.
        if inBatch[ExactKey(name)] == nil || ExactKey(name) == ExactKey(root) {
          known[ExactKey(name)] = root
        }
      }
    }
    return zip(items, places).map { item, place in
      guard item.hasEncryptedFields, let place else { return nil }
      if let named = namedPlaces[ExactKey(place.name)] { return named }
      for step in Self.chain(from: place, in: inBatch) {
        if let root = known[ExactKey(step.name)] { return ExactKey(root) }
        guard let parent = step.parent, inBatch[ExactKey(parent)] == nil else { continue }
        return ExactKey(known[ExactKey(parent)])
      }
      return ExactKey(nil)
    }
  }

  /// Returns the positions of the items to seal and send again, because the server has refused the
  /// keys that sealed their values. Remembers the places that the server names for these records.
  ///
  /// An atomic batch is sent again as a whole, unless an item was refused for another reason.
  mutating func misplaced(in results: [RecordItem], isAtomic: Bool) -> Set<Int> {
    var misplaced: Set<Int> = []
    var others: Set<Int> = []
    for (position, result) in results.enumerated() {
      guard case .failure(let failure) = result else { continue }
      if failure.error.reason == Reason.sealedElsewhere {
        misplaced.insert(position)
        namedPlaces[ExactKey(failure.recordName)] = ExactKey(failure.sealingRootRecordName)
      } else if failure.error.reason == Reason.atomicError {
        others.insert(position)
      } else {
        hasFailed = true
      }
    }
    if !isAtomic || misplaced.isEmpty { return misplaced }
    return misplaced.count + others.count == results.count ? misplaced.union(others) : []
  }

  private static func place(of item: Item) -> Place? {
    guard case .save(let record, _) = item else { return nil }
    let state = record.snapshot
    return Place(
      name: state.recordID.recordName, parent: state.parent?.recordID.recordName,
      hasShare: state.system.share != nil)
  }

  /// Returns a record and its ancestors, as far as they are in the batch.
  private static func chain(from place: Place, in batch: [ExactKey: Place]) -> [Place] {
    var chain = [place]
    while chain.count <= Limits.hierarchyDepthMax, let parent = chain.last?.parent,
      let next = batch[ExactKey(parent)]
    {
      chain.append(next)
    }
    return chain
  }
}
