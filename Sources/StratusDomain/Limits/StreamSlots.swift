import StratusWire
import Synchronization

/// Counts the open streams of each user.
final class StreamSlots: Sendable {
  /// The delay after which a refused client should retry. If a device disappears without closing
  /// its connection, the server notices this about a minute after the next heartbeat.
  private static let retryAfterSeconds = 60

  private let countMax: Int?
  private let counts = Mutex<[String: Int]>([:])

  /// - Parameter countMax: see ``LimitSettings/streamsPerUserMax``.
  init(countMax: Int?) { self.countMax = countMax }

  /// Takes a slot, which is released when the returned object is deallocated.
  ///
  /// - Parameter user: a user record name.
  /// - Throws: `THROTTLED` if the user has too many open streams.
  func take(_ user: String) throws(ServerError) -> StreamSlot {
    let isTaken = counts.withLock { counts in
      let count = counts[user, default: 0]
      if let countMax, count >= countMax { return false }
      counts[user] = count + 1
      return true
    }
    if isTaken { return StreamSlot(user: user, among: self) }
    throw ServerError(
      .throttled, LimitRule.streamsPerUser.reason, retryAfterSeconds: Self.retryAfterSeconds)
  }

  fileprivate func giveBack(_ user: String) {
    counts.withLock { counts in
      let count = counts[user, default: 0] - 1
      counts[user] = count > 0 ? count : nil
    }
  }

  /// The number of users with an open stream, for tests.
  var usersCount: Int { counts.withLock { $0.count } }
}

/// The slot of one open stream. The stream is counted as long as this object exists.
public final class StreamSlot: Sendable {
  private let user: String
  private let slots: StreamSlots

  fileprivate init(user: String, among slots: StreamSlots) {
    self.user = user
    self.slots = slots
  }

  deinit { slots.giveBack(user) }
}
