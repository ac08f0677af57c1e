public import StratusWire
import Synchronization

/// The keys of zones and of shared hierarchies that a program knows in one container.
///
/// The key ring asks the server only for keys that it does not know.
public final class KeyRing: Sendable {
  public typealias Options = Connection.Options

  /// The known keys of one zone.
  struct Zone {
    /// The keys that encrypt new values, by the root of the hierarchy. The zone's own key has the
    /// root nil. ``keys`` contains these keys, too.
    var sealing: [KeyedRoot: ZoneKey] = [:]
    var keys: [[UInt8]: ZoneKey] = [:]
    /// The IDs of keys that the server did not have for this account. They are not requested again
    /// before the account joins a share of the zone or the keys are forgotten.
    var absent: Set<[UInt8]> = []
  }

  /// The keys that are requested for one zone.
  public struct Wanted: Sendable {
    /// The zone. An ID without an owner means a zone of the user.
    public let zoneID: ZoneID
    public var keyIDs: Set<[UInt8]> = []

    public init(_ zoneID: ZoneID) { self.zoneID = zoneID }
  }

  private let connection: Connection
  let deviceKeys: DeviceKeys
  let randomness: @Sendable (Int) -> [UInt8]
  private let zones = Mutex<[KeyedZone: Zone]>([:])

  /// - Parameter randomness: returns the given number of cryptographically random bytes.
  public init(
    connection: Connection, deviceKeys: DeviceKeys,
    randomness: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.connection = connection
    self.deviceKeys = deviceKeys
    self.randomness = randomness
  }

  /// The maximum number of attempts when other devices change the keys at the same time.
  private static let attemptsMax = 3

  /// Returns the key that encrypts new values of a zone or of a shared hierarchy. If the account
  /// has no key, or the user's own zone or hierarchy has none, the missing key is created.
  ///
  /// If all keys of the zone or hierarchy are retired, because a participant has left, a new key is
  /// created. A participant's device does this, too.
  ///
  /// - Parameter root: the root of the hierarchy, or nil for records in no shared hierarchy.
  /// - Throws: ``KeyFailure/missing`` if only another device has the account's key, or if this
  ///   account has not received the key of another owner's zone; ``KeyFailure/notHere(_:)`` if
  ///   another owner's zone has no keys for its participants.
  public func sealingKey(
    of zoneID: ZoneID, root: String? = nil, options: Options
  ) async throws(KeyFailure) -> ZoneKey {
    let (zone, scope) = (KeyedZone(zoneID), KeyedRoot(root))
    if let known = zones.withLock({ $0[zone]?.sealing[scope] }) { return known }
    let options = pinned(options)
    var attempt = 1
    while true {
      let answer = try await fetch([zoneID], root: root, options)
      let pair = try await pair(for: answer, options)
      let context = context(of: zoneID, answer).scoped(to: root)
      do throws(KeyFailure) {
        let answered = try await keys(of: zoneID, context, answer, pair, options)
        let keys = opened(answered.keys, for: pair, context)
        let used = answered.keys.first {
          !$0.isRetired && KeyedRoot($0.rootRecordName) == scope && keys[$0.keyID] != nil
        }
        guard let used,
          let key = keys[used.keyID]
        else { throw KeyFailure.missing }
        remember(options) { zones in
          zones[zone, default: Zone()].keys.merge(keys) { $1 }
          zones[zone, default: Zone()].sealing[scope] = key
        }
        return key
      } catch {
        // The keys may have been reset between the two requests.
        guard error.isConflict, attempt < Self.attemptsMax else { throw error }
        attempt += 1
      }
    }
  }

  /// Returns each record name with the root of the shared hierarchy that contains the record.
  /// Records in no shared hierarchy are left out.
  ///
  /// NB: the result is not a dictionary. Swift's `==` treats names with different bytes as equal if
  /// they are encodings of the same text, such as "é" as one scalar and as two.
  public func roots(
    of recordNames: [String], in zoneID: ZoneID, options: Options
  ) async throws(KeyFailure) -> [(recordName: String, root: String)] {
    var roots: [(recordName: String, root: String)] = []
    var rest = recordNames[...]
    while !rest.isEmpty {
      let part = rest.prefix(Limits.operationsPerRequestMax)
      rest = rest.dropFirst(part.count)
      let answer = try await fetch([zoneID], recordNames: Array(part), options)
      roots += answer.zones.first?.roots.map { ($0.recordName, $0.rootRecordName) } ?? []
    }
    return roots
  }

  /// Returns the keys that decrypt values. Keys that this device cannot get are left out.
  ///
  /// - Parameter wanted: the requested keys, with one element for each zone.
  public func openingKeys(
    _ wanted: [Wanted], options: Options
  ) async throws(KeyFailure) -> OpeningKeys {
    var unknown = zones.withLock { zones in
      wanted.filter { wanted in
        let zone = zones[KeyedZone(wanted.zoneID)]
        return !wanted.keyIDs.allSatisfy { id in
          zone?.keys[id] != nil || zone?.absent.contains(id) == true
        }
      }
    }[...]
    while !unknown.isEmpty {
      let part = unknown.prefix(Limits.zonesPerRequestMax)
      unknown = unknown.dropFirst(part.count)
      try await learn(Array(part), options)
    }
    return zones.withLock { zones in
      var keys: [KeyedZone: [[UInt8]: ZoneKey]] = [:]
      for zone in wanted.map({ KeyedZone($0.zoneID) }) { keys[zone] = zones[zone]?.keys }
      return OpeningKeys(keys: keys)
    }
  }

  /// Forgets the keys of a zone after the server has reported that they are no longer valid.
  public func forget(_ zoneID: ZoneID) {
    zones.withLock { $0[KeyedZone(zoneID)] = nil }
  }

  /// Forgets all keys, because another account is signed in.
  public func forgetAll() { zones.withLock { $0 = [:] } }

  private func learn(
    _ wanted: [Wanted], _ options: Options
  ) async throws(KeyFailure) {
    let options = pinned(options)
    let own = wanted.filter { !$0.zoneID.isShared }
    if own.count < wanted.count, !own.isEmpty {
      // A request concerns one database, so zones of the shared database need a second request.
      try await learn(own, options)
      return try await learn(wanted.filter(\.zoneID.isShared), options)
    }
    let answer = try await fetch(wanted.map(\.zoneID), options)
    // NB: unusable device keys count as missing keys here. Encrypting a value reports the error.
    guard let standing = answer.publicKey, let pair = try? pair(of: standing, answer) else {
      return
    }
    for (wanted, answered) in zip(wanted, answer.zones) {
      let zone = KeyedZone(wanted.zoneID)
      let context = context(of: wanted.zoneID, answer)
      let keys = opened(answered.keys, for: pair, context)
      let lost = wanted.keyIDs.subtracting(keys.keys)
      remember(options) { zones in
        zones[zone, default: Zone()].keys.merge(keys) { $1 }
        zones[zone, default: Zone()].absent.formUnion(lost)
      }
    }
  }

  /// Returns the options with the generation of the present sign-in, unless they already have one.
  func pinned(_ options: Options) -> Options {
    var options = options
    options.generation = options.generation ?? connection.generation
    return options
  }

  /// Stores the fetched keys, unless another account has signed in since the request.
  func remember(_ options: Options, _ body: (inout [KeyedZone: Zone]) -> Void) {
    zones.withLock { zones in
      // NB: the generation is compared under the lock, so that a later sign-in also removes these
      // keys.
      if options.generation == connection.generation { body(&zones) }
    }
  }

  func context(of zoneID: ZoneID, _ answer: FetchKeys.Response) -> ZoneKeyContext {
    ZoneKeyContext(
      container: connection.address.container, environment: connection.address.environment,
      owner: zoneID.ownerRecordName ?? answer.userRecordName, zoneName: zoneID.zoneName)
  }

  /// Returns the keys of the zone. If the hierarchy of the context, or the user's own zone itself,
  /// has no key in use, a new key is stored on the server. If another device has just stored a key,
  /// the server keeps that key.
  private func keys(
    of zoneID: ZoneID, _ context: ZoneKeyContext, _ answer: FetchKeys.Response, _ pair: UserKeyPair,
    _ options: Options
  ) async throws(KeyFailure) -> FetchKeys.ZoneKeys {
    let found = answer.zones.first ?? FetchKeys.ZoneKeys(zoneID: zoneID, keys: [])
    let scope = found.keys.filter { KeyedRoot($0.rootRecordName) == KeyedRoot(context.root) }
    if scope.contains(where: { !$0.isRetired }) { return found }
    // NB: a key that a participant created in a zone without keys would lock the owner out.
    if scope.isEmpty, zoneID.isShared { throw .notHere(Reason.keysNotShared) }
    let earlier = opened(scope, for: pair, context)
    guard scope.isEmpty || !earlier.isEmpty else { throw .missing }
    let fresh = ZoneKey(randomness(ZoneKey.length), of: context)
    let request = WrapZoneKey.Request(
      zoneID: zoneID, key: try fresh.wrapped(for: pair),
      others: try forms(of: fresh, after: earlier, for: found.memberKeys, besides: pair))
    return try await send(
      WrapZoneKey.self, request, options, to: zoneID.isShared ? .shared : .private)
  }

  /// Returns the wrapped keys to store with a new key: the new key for each other member of the
  /// zone, and all keys for the share's new URL.
  private func forms(
    of fresh: ZoneKey, after earlier: [[UInt8]: ZoneKey], for members: [[UInt8]],
    besides pair: UserKeyPair
  ) throws(KeyFailure) -> [WrappedZoneKey] {
    let keys = earlier.values.sorted { $0.id.lexicographicallyPrecedes($1.id) }
    guard let old = keys.first else { return [] }
    var forms: [WrappedZoneKey] = []
    for member in members where member != pair.publicBytes {
      forms.append(try fresh.wrapped(forMember: member, after: old))
    }
    return forms + (try links(to: keys + [fresh], by: ShareSecret(of: fresh)))
  }
}

extension KeyRing {
  func fetch(
    _ zoneIDs: [ZoneID], root: String? = nil, recordNames: [String] = [], _ options: Options
  ) async throws(KeyFailure) -> FetchKeys.Response {
    let request = FetchKeys.Request(
      zones: zoneIDs, rootRecordName: root, recordNames: recordNames)
    let answer = try await send(
      FetchKeys.self, request, options, to: zoneIDs.first?.isShared == true ? .shared : .private)
    guard answer.zones.count == zoneIDs.count else {
      throw .unusable("the server's answer does not fit the request for keys")
    }
    return answer
  }

  func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, _ options: Options,
    to scope: DatabaseScope = .private
  ) async throws(KeyFailure) -> E.Response {
    do {
      return try await connection.send(
        endpoint, request, to: scope, isIdempotent: true, options: options)
    } catch {
      throw .transport(error)
    }
  }

  /// Returns the account's key pair. If the account has none, a pair is created and registered.
  func pair(
    for answer: FetchKeys.Response, _ options: Options
  ) async throws(KeyFailure) -> UserKeyPair {
    var standing = answer.publicKey
    if standing == nil {
      // NB: the key is saved before it is registered, so that values encrypted for it can always be
      // decrypted.
      let key = try deviceKeys.newest(orDrawnFrom: randomness)
      let own = try pair(key, answer)
      let request = RegisterUserKey.Request(publicKey: own.publicBytes)
      standing = try await send(RegisterUserKey.self, request, options).publicKey
    }
    guard let standing, let pair = try pair(of: standing, answer) else { throw .missing }
    return pair
  }

  /// Returns the key pair with this public key, or nil if the device does not have the account's
  /// key.
  func pair(
    of publicKey: [UInt8], _ answer: FetchKeys.Response
  ) throws(KeyFailure) -> UserKeyPair? {
    for key in try deviceKeys.all() {
      let pair = try pair(key, answer)
      if pair.publicBytes == publicKey { return pair }
    }
    return nil
  }

  func pair(
    _ key: AccountKey, _ answer: FetchKeys.Response
  ) throws(KeyFailure) -> UserKeyPair {
    try key.pair(
      of: answer.userRecordName, container: connection.address.container,
      environment: connection.address.environment)
  }
}

/// The keys that decrypt the values of some zones.
public struct OpeningKeys: Sendable {
  /// The keys of each zone, by key ID.
  fileprivate let keys: [KeyedZone: [[UInt8]: ZoneKey]]

  /// An empty set of keys.
  public static let none = OpeningKeys(keys: [:])

  /// Returns the zone's key with this ID, or nil if this device does not have the key.
  public func key(_ id: [UInt8], of zoneID: ZoneID) -> ZoneKey? {
    keys[KeyedZone(zoneID)]?[id]
  }
}

/// The names of a zone and of its owner, which identify the zone. The names are compared by their
/// bytes, as the server compares them.
///
/// NB: zones of two owners may have the same name and different keys.
struct KeyedZone: Hashable {
  /// The name of the owner. It is empty for the user's own zones.
  let owner: [UInt8]
  let name: [UInt8]

  init(_ zoneID: ZoneID) {
    owner = Array((zoneID.ownerRecordName ?? "").utf8)
    name = Array(zoneID.zoneName.utf8)
  }
}

/// The root of a shared hierarchy, or none. Names are compared by their bytes.
struct KeyedRoot: Hashable {
  let name: [UInt8]?

  init(_ name: String?) { self.name = name.map { Array($0.utf8) } }
}

extension KeyFailure {
  fileprivate var isConflict: Bool {
    if case .transport(.refused(let error, _, _)) = self { return error.code == .conflict }
    return false
  }
}
