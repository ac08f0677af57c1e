import StratusWire
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
    public let zoneName: String
    public var keyIDs: Set<[UInt8]> = []

    public init(zoneName: String) { self.zoneName = zoneName }

    fileprivate var nameBytes: [UInt8] { Array(zoneName.utf8) }
  }

  private let connection: Connection
  private let deviceKeys: DeviceKeys
  private let randomness: @Sendable (Int) -> [UInt8]
  /// By the bytes of the zones' names, as the server tells names apart.
  private let zones = Mutex<[[UInt8]: Zone]>([:])

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

  /// The key that seals new values of a zone of the user's own; made, and the account's key with
  /// it, where there is none.
  ///
  /// - Throws: ``KeyFailure/missing`` where another device has the account's key.
  public func sealingKey(
    ofZoneNamed name: String, options: Options
  ) async throws(KeyFailure) -> ZoneKey {
    if let known = zones.withLock({ $0[Array(name.utf8)]?.sealing }) { return known }
    let options = pinned(options)
    var attempt = 1
    while true {
      let answer = try await fetch([name], options)
      let pair = try await pair(for: answer, options)
      let place = place(of: name, answer)
      do throws(KeyFailure) {
        let wrapped = try await wrappedKeys(of: name, place, answer, pair, options)
        let keys = wrapped.compactMap { ZoneKey($0, for: pair, place: place) }
        guard let key = keys.first else { throw KeyFailure.missing }
        remember(options) { zones in
          for key in keys { zones[Array(name.utf8), default: Zone()].keys[key.id] = key }
          zones[Array(name.utf8), default: Zone()].sealing = key
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
        let zone = zones[wanted.nameBytes]
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
      var keys: [[UInt8]: [[UInt8]: ZoneKey]] = [:]
      for wanted in wanted { keys[wanted.nameBytes] = zones[wanted.nameBytes]?.keys }
      return OpeningKeys(keys: keys)
    }
  }

  /// Forgets a zone's keys, which the server says are not its keys any more.
  public func forget(zoneNamed name: String) {
    zones.withLock { $0[Array(name.utf8)] = nil }
  }

  /// Forgets all keys, because another account is signed in.
  public func forgetAll() { zones.withLock { $0 = [:] } }

  private func learn(
    _ wanted: [Wanted], _ options: Options
  ) async throws(KeyFailure) {
    let options = pinned(options)
    let answer = try await fetch(wanted.map(\.zoneName), options)
    // NB: own keys that cannot be used read nothing, like none; who seals is told what is wrong.
    guard let standing = answer.publicKey, let pair = try? pair(of: standing, answer) else {
      return
    }
    for (wanted, zone) in zip(wanted, answer.zones) {
      let name = wanted.zoneName
      let place = place(of: name, answer)
      let keys = zone.keys.compactMap { ZoneKey($0, for: pair, place: place) }
      let lost = wanted.keyIDs.subtracting(keys.map(\.id))
      remember(options) { zones in
        for key in keys { zones[wanted.nameBytes, default: Zone()].keys[key.id] = key }
        zones[wanted.nameBytes, default: Zone()].absent.formUnion(lost)
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
  private func remember(_ options: Options, _ body: (inout [[UInt8]: Zone]) -> Void) {
    zones.withLock { zones in
      // NB: asked under the lock: who signs in later has all forgotten later, too.
      if options.generation == connection.generation { body(&zones) }
    }
  }

  private func place(of name: String, _ answer: FetchKeys.Response) -> ZonePlace {
    ZonePlace(
      container: connection.address.container, environment: connection.address.environment,
      owner: answer.userRecordName, zoneName: name)
  }

  /// The zone's keys; where it has none, a new one or that of who came first.
  private func wrappedKeys(
    of name: String, _ place: ZonePlace, _ answer: FetchKeys.Response, _ pair: UserKeyPair,
    _ options: Options
  ) async throws(KeyFailure) -> [WrappedZoneKey] {
    if let keys = answer.zones.first?.keys, !keys.isEmpty { return keys }
    let fresh = ZoneKey(randomness(ZoneKey.length), of: place)
    let request = WrapZoneKey.Request(
      zoneID: ZoneID(zoneName: name), key: try fresh.wrapped(for: pair))
    return try await send(WrapZoneKey.self, request, options).keys
  }
}

extension KeyRing {
  private func fetch(
    _ names: [String], _ options: Options
  ) async throws(KeyFailure) -> FetchKeys.Response {
    let request = FetchKeys.Request(zones: names.map { ZoneID(zoneName: $0) })
    let answer = try await send(FetchKeys.self, request, options)
    guard answer.zones.count == names.count else {
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
  /// By the bytes of the zones' names, then by the keys' IDs.
  let keys: [[UInt8]: [[UInt8]: ZoneKey]]

  /// No keys.
  public static let none = OpeningKeys(keys: [:])

  /// The key of a zone that has this ID; nil: this device has it not.
  public func key(_ id: [UInt8], ofZoneNamed name: String) -> ZoneKey? {
    keys[Array(name.utf8)]?[id]
  }
}

extension KeyFailure {
  fileprivate var isConflict: Bool {
    if case .transport(.refused(let error, _, _)) = self { return error.code == .conflict }
    return false
  }
}
