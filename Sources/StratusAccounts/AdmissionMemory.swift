import StratusDomain
import Synchronization

/// Caches answers of the registry for a short time, because every request needs them.
///
/// A change by this process clears the cache at once. This process notices a change by another
/// process within ``versionMilliseconds``, because the change increases the registry's version.
final class AdmissionMemory: Sendable {
  /// The number of milliseconds for which an answer is cached. It must be small, because the end of
  /// a session's lifetime does not change the registry's version.
  static let milliseconds: Int64 = 30_000
  /// The minimum time between two reads of the registry's version.
  ///
  /// Choice: without this minimum, every request would need a read transaction.
  static let versionMilliseconds: Int64 = 500
  private static let countMax = 100_000

  struct Question: Hashable {
    let credentials: Credentials
    let store: StoreAddress
  }

  /// A cached answer with its expiry time.
  private struct Answer<Value: Sendable> {
    let value: Value
    let until: Int64
  }

  private struct State {
    var admissions: [Question: Answer<Admission>] = [:]
    /// The time when the registry's version was last read, or nil if it was never read.
    var versionReadAt: Int64?
    var version: Int64?
    /// The sessions that the registry has confirmed as valid, by their IDs.
    var validSessions: [String: Answer<Bool>] = [:]
    /// Cached server-to-server keys by their IDs.
    var serverKeys: [String: Answer<KnownServerKey>] = [:]
    /// Cached names of the users who may not use their data, by container. Their accounts are
    /// disabled or restricted, or their server-to-server keys are revoked.
    var disabledUsers: [String: Answer<Set<String>>] = [:]
    /// The number of times the cache was cleared. An answer that was requested before the last
    /// clearing may be outdated.
    var changes = 0
  }

  private let state = Mutex(State())

  /// - Returns: the cached answer, if any, and the number of times the cache was cleared.
  func admission(_ question: Question, now: Int64) -> (known: Admission?, changes: Int) {
    state.withLock { state in
      guard let known = state.admissions[question], now < known.until else {
        return (nil, state.changes)
      }
      return (known.value, state.changes)
    }
  }

  func keep(_ admission: Admission, for question: Question, now: Int64, ifStill changes: Int) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.admissions.count >= Self.countMax { state.admissions.removeAll() }
      state.admissions[question] = Answer(value: admission, until: now + Self.milliseconds)
    }
  }

  /// Like ``admission(_:now:)``, for the server-to-server key with this ID.
  func serverKey(_ id: String, now: Int64) -> (known: KnownServerKey?, changes: Int) {
    state.withLock { state in
      guard let known = state.serverKeys[id], now < known.until else {
        return (nil, state.changes)
      }
      return (known.value, state.changes)
    }
  }

  func keep(_ known: KnownServerKey, now: Int64, ifStill changes: Int) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.serverKeys.count >= Self.countMax { state.serverKeys.removeAll() }
      state.serverKeys[known.key.id] = Answer(value: known, until: now + Self.milliseconds)
    }
  }

  /// Like ``admission(_:now:)``, for the users of a container who may not use their data.
  func disabledUsers(
    of container: String, now: Int64
  ) -> (known: Set<String>?, changes: Int) {
    state.withLock { state in
      guard let known = state.disabledUsers[container], now < known.until else {
        return (nil, state.changes)
      }
      return (known.value, state.changes)
    }
  }

  func keep(
    disabledUsers users: Set<String>, of container: String, now: Int64, ifStill changes: Int
  ) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.disabledUsers.count >= Self.countMax { state.disabledUsers.removeAll() }
      state.disabledUsers[container] = Answer(value: users, until: now + Self.milliseconds)
    }
  }

  /// Returns the sessions of a set that are not known to be valid, and the number of times the
  /// cache was cleared.
  func unknownSessions(among ids: Set<String>, now: Int64) -> (unknown: Set<String>, changes: Int) {
    state.withLock { state in
      let known = state.validSessions
      return (ids.filter { known[$0].map { now >= $0.until } ?? true }, state.changes)
    }
  }

  func keep(validSessions ids: Set<String>, now: Int64, ifStill changes: Int) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.validSessions.count >= Self.countMax { state.validSessions.removeAll() }
      for id in ids {
        state.validSessions[id] = Answer(value: true, until: now + Self.milliseconds)
      }
    }
  }

  /// Whether it is time to read the registry's version again.
  func mustReadVersion(now: Int64) -> Bool {
    state.withLock { state in
      guard let last = state.versionReadAt else { return true }
      // The clock may have been set back since the last read.
      return now >= last + Self.versionMilliseconds || now < last
    }
  }

  /// Stores the registry's version. If it differs from the previous one, clears the cache.
  ///
  /// - Returns: whether the version has changed.
  func note(version: Int64, now: Int64) -> Bool {
    state.withLock { state in
      let isNew = state.version.map { $0 != version } ?? false
      if isNew { state = State(changes: state.changes + 1) }
      state.version = version
      state.versionReadAt = now
      return isNew
    }
  }

  /// Clears the cache after a change.
  func forget() {
    state.withLock { $0 = State(changes: $0.changes + 1) }
  }
}
