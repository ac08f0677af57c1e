import StratusDomain
import Synchronization

/// Caches the registry's answers for a while, because every request needs them.
final class AdmissionMemory: Sendable {
  /// How long an answer is cached, so that changes by other nodes are noticed.
  static let milliseconds: Int64 = 30_000
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
    /// Cached server-to-server keys by their IDs.
    var serverKeys: [String: Answer<KnownServerKey>] = [:]
    /// Cached answers by container.
    var disabledUsers: [String: Answer<Set<String>>] = [:]
    /// The number of times the cache was cleared. An answer to an earlier question may be outdated.
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

  /// As ``admission(_:now:)``, for the server-to-server key with an ID.
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

  /// As ``admission(_:now:)``, for the disabled users of a container.
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

  /// Clears the cache after a change.
  func forget() {
    state.withLock { $0 = State(changes: $0.changes + 1) }
  }
}
