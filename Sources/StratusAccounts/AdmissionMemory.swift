import StratusDomain
import Synchronization

/// Caches the registry's answers for a while, because every request needs them.
///
/// A change by this process clears the cache at once. A change by another process is noticed by the
/// registry's version, at the latest after ``versionMilliseconds``.
final class AdmissionMemory: Sendable {
  /// How long an answer is cached. It must be short, because the end of a session's lifetime does
  /// not change the registry's version.
  static let milliseconds: Int64 = 30_000
  /// The registry's version is read again only after this time.
  ///
  /// Choice: reading it with every request would cost a read transaction each time.
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
    /// When the registry's version was last read; nil: never.
    var versionReadAt: Int64?
    var version: Int64?
    /// The sessions that were last found to be valid.
    var validSessions: [String: Answer<Bool>] = [:]
    /// Cached answers by container.
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

  /// Like ``admission(_:now:)``, for the disabled users of a container.
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

  /// Of these sessions, those that are not known to be valid, and the number of times the cache was
  /// cleared.
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

  /// Whether the registry's version must be read again.
  func mustReadVersion(now: Int64) -> Bool {
    state.withLock { state in
      guard let last = state.versionReadAt else { return true }
      // The clock may have been set back.
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
