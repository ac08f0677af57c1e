import StratusTransport
import StratusWire

/// The encrypted values that the owner's device has sealed, and the keys with which guests try to
/// open them.
///
/// A guest may open a value only if the guest was a participant of the hierarchy in which the value
/// was sealed, or of the whole zone, at that time or later.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingSeals: @unchecked Sendable {
  /// The encrypted field of the records.
  static let field = "sealed"

  /// A sealed value, as the server has stored it.
  private struct Value {
    let record: String
    let type: FieldType
    let bytes: [UInt8]
    /// The version of ``SharingTruth`` when the server stored the value.
    let version: Int
  }

  private var values: [Value] = []
  private var known: Set<[UInt8]> = []
  /// For each text: the version of ``SharingTruth`` when the owner's device began to seal the text.
  private var begins: [String: Int] = [:]
  /// The secrets in the URLs that the owner has sent to the guests.
  var secrets: Set<String> = []

  /// Returns a new text, which the owner's device begins to seal now.
  func newText(of name: String, in truth: SharingTruth) -> String {
    let text = "sealed-\(name)-\(begins.count + 1)"
    begins[text] = truth.version
    return text
  }

  /// Remembers a sealed value that the server stores.
  func note(_ value: FieldValue?, of record: String, version: Int) {
    guard case .sealed(let type, let bytes)? = value, known.insert(bytes).inserted else { return }
    values.append(Value(record: record, type: type, bytes: bytes, version: version))
  }

  /// The IDs of all keys that have sealed a value.
  var keyIDs: Set<[UInt8]> { Set(values.compactMap { SealedEnvelope.keyID(of: $0.bytes) }) }

  var count: Int { values.count }

  /// Tries to open all values with the keys of a guest.
  ///
  /// - Returns: the number of opened values, and a description of the first one that the guest must
  ///   not open.
  func opened(
    by guest: String, with keys: [[UInt8]: ZoneKey], _ truth: SharingTruth
  ) -> (count: Int, violation: String?) {
    var count = 0
    for value in values {
      guard let id = SealedEnvelope.keyID(of: value.bytes),
        let plain = keys[id]?.recordKey(of: value.record)
          .opened(value.bytes, type: value.type, field: Self.field),
        case .string(let text) = plain
      else { continue }
      count += 1
      let begin = begins[text] ?? 0
      if !truth.wasMember(guest, of: value.record, sealedIn: begin...max(begin, value.version)) {
        return (count, "\(guest) can open the value \(text), which was sealed outside its shares")
      }
    }
    return (count, nil)
  }
}

/// A guest who asks for all keys again and again, and never forgets one.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class KeyCollector: @unchecked Sendable {
  let user: String
  private let household: SharingHousehold
  private let seals: SharingSeals
  private let ring: KeyRing

  private static let zoneID = ZoneID(
    zoneName: SharingTruth.zone, ownerRecordName: SharingTruth.owner)

  init(user: String, household: SharingHousehold, seals: SharingSeals) {
    self.user = user
    self.household = household
    self.seals = seals
    ring = KeyRing(
      connection: household.connection(of: "keys of \(user)", user: user, Life()),
      deviceKeys: DeviceKeys(file: household.keysFile(of: user)),
      randomness: { [household] in household.randomBytes($0) })
  }

  func start() {
    Task {
      while household.isEditing {
        try? await Loop.shared.sleep(household.pauseSeconds(0.1...0.8))
        await collect()
      }
    }
  }

  /// Uses the secrets of all URLs that the owner has ever sent.
  private func collect() async {
    for text in seals.secrets.sorted() {
      guard let secret = ShareSecret(text: text) else { continue }
      try? await ring.join(Self.zoneID, with: secret, options: KeyRing.Options())
    }
    _ = await keys()
  }

  /// The keys that the guest has, and those that the server still gives to the guest.
  private func keys() async -> [[UInt8]: ZoneKey] {
    var keys: [[UInt8]: ZoneKey] = [:]
    for id in seals.keyIDs.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      // NB: each request contains only one key ID, because a refused request returns no key at all.
      var wanted = KeyRing.Wanted(Self.zoneID)
      wanted.keyIDs = [id]
      let opening = try? await ring.openingKeys([wanted], options: KeyRing.Options())
      keys[id] = opening?.key(id, of: Self.zoneID)
    }
    return keys
  }

  /// Describes the first value that the guest can open but must not. Returns nil if there is none.
  func violation() async -> String? {
    await collect()
    let (count, violation) = seals.opened(by: user, with: await keys(), household.truth)
    for _ in 0..<count { household.ledger.saw("sealed value that a guest opens") }
    return violation
  }
}
