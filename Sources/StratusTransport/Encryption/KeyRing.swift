public import StratusWire
import Synchronization

/// The zone keys a program has met in one container, and how it comes by them.
///
/// The server is asked only when a key is wanted that is not known.
public final class KeyRing: Sendable {
  public typealias Options = Connection.Options

  /// What is known of one zone.
  private struct Zone {
    /// Seals new values; one of ``keys``.
    var sealing: ZoneKey?
    var keys: [[UInt8]: ZoneKey] = [:]
    /// Keys that this account has not and will never have.
    var absent: Set<[UInt8]> = []
  }

  /// Keys of one zone that are wanted.
  public struct Wanted: Sendable {
    /// Without an owner: a zone of the user's own.
    public let zoneID: ZoneID
    public var keyIDs: Set<[UInt8]> = []

    public init(_ zoneID: ZoneID) { self.zoneID = zoneID }
  }

  private let connection: Connection
  private let deviceKeys: DeviceKeys
  private let randomness: @Sendable (Int) -> [UInt8]
  private let zones = Mutex<[KeyedZone: Zone]>([:])

  /// - Parameter randomness: draws so many bytes nobody can guess.
  public init(
    connection: Connection, deviceKeys: DeviceKeys,
    randomness: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.connection = connection
    self.deviceKeys = deviceKeys
    self.randomness = randomness
  }

  /// How often another device may come first before we give up.
  private static let attemptsMax = 3

  /// The key that seals new values of a zone. In a zone of the user's own it is made where there is
  /// none, and the account's key with it.
  ///
  /// - Throws: ``KeyFailure/missing`` where another device has the account's key, and for a zone of
  ///   another owner whose key this account was not given.
  public func sealingKey(
    of zoneID: ZoneID, options: Options
  ) async throws(KeyFailure) -> ZoneKey {
    let zone = KeyedZone(zoneID)
    if let known = zones.withLock({ $0[zone]?.sealing }) { return known }
    let options = pinned(options)
    var attempt = 1
    while true {
      let answer = try await fetch([zoneID], options)
      let pair = try await pair(for: answer, options)
      let place = place(of: zoneID, answer)
      do throws(KeyFailure) {
        let wrapped = try await wrappedKeys(of: zoneID, place, answer, pair, options)
        let keys = wrapped.compactMap { ZoneKey($0, for: pair, place: place) }
        guard let key = keys.first else { throw KeyFailure.missing }
        remember(options) { zones in
          for key in keys { zones[zone, default: Zone()].keys[key.id] = key }
          zones[zone, default: Zone()].sealing = key
        }
        return key
      } catch {
        // A reset came between the two requests.
        guard error.isConflict, attempt < Self.attemptsMax else { throw error }
        attempt += 1
      }
    }
  }

  /// Keys that open values; those this device cannot have are left out.
  ///
  /// - Parameter wanted: one a zone.
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

  /// Forgets a zone's keys, which the server says are not its keys any more.
  public func forget(_ zoneID: ZoneID) {
    zones.withLock { $0[KeyedZone(zoneID)] = nil }
  }

  /// Forgets all keys, because another account is signed in.
  public func forgetAll() { zones.withLock { $0 = [:] } }

  private func learn(
    _ wanted: [Wanted], _ options: Options
  ) async throws(KeyFailure) {
    let options = pinned(options)
    let answer = try await fetch(wanted.map(\.zoneID), options)
    // NB: own keys that cannot be used read nothing, like none; who seals is told what is wrong.
    guard let standing = answer.publicKey, let pair = try? pair(of: standing, answer) else {
      return
    }
    for (wanted, answered) in zip(wanted, answer.zones) {
      let zone = KeyedZone(wanted.zoneID)
      let place = place(of: wanted.zoneID, answer)
      let keys = answered.keys.compactMap { ZoneKey($0, for: pair, place: place) }
      let lost = wanted.keyIDs.subtracting(keys.map(\.id))
      remember(options) { zones in
        for key in keys { zones[zone, default: Zone()].keys[key.id] = key }
        zones[zone, default: Zone()].absent.formUnion(lost)
      }
    }
  }

  /// For who is signed in now, if they do not say for whom.
  private func pinned(_ options: Options) -> Options {
    var options = options
    options.generation = options.generation ?? connection.generation
    return options
  }

  /// Keeps what was learned, unless another account has signed in since it was asked for.
  private func remember(_ options: Options, _ body: (inout [KeyedZone: Zone]) -> Void) {
    zones.withLock { zones in
      // NB: asked under the lock: who signs in later has all forgotten later, too.
      if options.generation == connection.generation { body(&zones) }
    }
  }

  private func place(of zoneID: ZoneID, _ answer: FetchKeys.Response) -> ZonePlace {
    ZonePlace(
      container: connection.address.container, environment: connection.address.environment,
      owner: zoneID.ownerRecordName ?? answer.userRecordName, zoneName: zoneID.zoneName)
  }

  /// The zone's keys; where a zone of the user's own has none, a new one, or that of another device
  /// that was first.
  private func wrappedKeys(
    of zoneID: ZoneID, _ place: ZonePlace, _ answer: FetchKeys.Response, _ pair: UserKeyPair,
    _ options: Options
  ) async throws(KeyFailure) -> [WrappedZoneKey] {
    if let keys = answer.zones.first?.keys, !keys.isEmpty { return keys }
    // NB: a key that a guest made would shut the owner out.
    guard place.owner == answer.userRecordName else { throw .missing }
    let fresh = ZoneKey(randomness(ZoneKey.length), of: place)
    let request = WrapZoneKey.Request(
      zoneID: zoneID, key: try fresh.wrapped(for: pair))
    return try await send(WrapZoneKey.self, request, options).keys
  }
}

extension KeyRing {
  private func fetch(
    _ zoneIDs: [ZoneID], _ options: Options
  ) async throws(KeyFailure) -> FetchKeys.Response {
    let request = FetchKeys.Request(zones: zoneIDs)
    let answer = try await send(FetchKeys.self, request, options)
    guard answer.zones.count == zoneIDs.count else {
      throw .unusable("the server's answer does not fit the request for keys")
    }
    return answer
  }

  private func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, _ options: Options
  ) async throws(KeyFailure) -> E.Response {
    do {
      return try await connection.send(
        endpoint, request, to: .private, isIdempotent: true, options: options)
    } catch {
      throw .transport(error)
    }
  }

  /// The account's key pair, made and registered where the account has none.
  private func pair(
    for answer: FetchKeys.Response, _ options: Options
  ) async throws(KeyFailure) -> UserKeyPair {
    var standing = answer.publicKey
    if standing == nil {
      // NB: kept on disk before it is registered, since what is sealed for it must be openable.
      let key = try deviceKeys.newest(orDrawnFrom: randomness)
      let own = try pair(key, answer)
      let request = RegisterUserKey.Request(publicKey: own.publicBytes)
      standing = try await send(RegisterUserKey.self, request, options).publicKey
    }
    guard let standing, let pair = try pair(of: standing, answer) else { throw .missing }
    return pair
  }

  /// The key pair with that public key; nil: this device has not its account key.
  private func pair(
    of publicKey: [UInt8], _ answer: FetchKeys.Response
  ) throws(KeyFailure) -> UserKeyPair? {
    for key in try deviceKeys.all() {
      let pair = try pair(key, answer)
      if pair.publicBytes == publicKey { return pair }
    }
    return nil
  }

  private func pair(
    _ key: AccountKey, _ answer: FetchKeys.Response
  ) throws(KeyFailure) -> UserKeyPair {
    try key.pair(
      of: answer.userRecordName, container: connection.address.container,
      environment: connection.address.environment)
  }
}

/// Keys that open the values of some zones.
public struct OpeningKeys: Sendable {
  /// By zone, then by the keys' IDs.
  fileprivate let keys: [KeyedZone: [[UInt8]: ZoneKey]]

  /// No keys.
  public static let none = OpeningKeys(keys: [:])

  /// The key of a zone that has this ID; nil: this device has it not.
  public func key(_ id: [UInt8], of zoneID: ZoneID) -> ZoneKey? {
    keys[KeyedZone(zoneID)]?[id]
  }
}

/// A zone whose keys are known: the names of its owner and of itself, by their bytes, as the server
/// tells names apart.
///
/// NB: two owners may have a zone of the same name, with different keys.
private struct KeyedZone: Hashable {
  /// Empty: the user.
  let owner: [UInt8]
  let name: [UInt8]

  init(_ zoneID: ZoneID) {
    owner = Array((zoneID.ownerRecordName ?? "").utf8)
    name = Array(zoneID.zoneName.utf8)
  }
}

extension KeyFailure {
  fileprivate var isConflict: Bool {
    if case .transport(.refused(let error, _, _)) = self { return error.code == .conflict }
    return false
  }
}
