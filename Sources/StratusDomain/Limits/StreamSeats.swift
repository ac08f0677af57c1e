import StratusWire
import Synchronization

/// Counts the streams that each user holds open.
final class StreamSeats: Sendable {
  /// Who vanished is noticed a minute after the next sign of life.
  private static let retryAfterSeconds = 60

  private let countMax: Int?
  private let counts = Mutex<[String: Int]>([:])

  /// - Parameter countMax: see ``LimitSettings/streamsPerUserMax``.
  init(countMax: Int?) { self.countMax = countMax }

  /// Takes a seat, until nobody holds it any more.
  ///
  /// - Parameter user: a user record name.
  /// - Throws: `THROTTLED` where the user has too many.
  func take(_ user: String) throws(ServerError) -> StreamSeat {
    let isTaken = counts.withLock { counts in
      let count = counts[user, default: 0]
      if let countMax, count >= countMax { return false }
      counts[user] = count + 1
      return true
    }
    if isTaken { return StreamSeat(user: user, among: self) }
    throw ServerError(
      .throttled, LimitRule.streamsPerUser.reason, retryAfterSeconds: Self.retryAfterSeconds)
  }

  fileprivate func giveBack(_ user: String) {
    counts.withLock { counts in
      let count = counts[user, default: 0] - 1
      counts[user] = count > 0 ? count : nil
    }
  }

  /// Users with a stream, for tests.
  var usersCount: Int { counts.withLock { $0.count } }
}

/// One open stream, as it is counted: for as long as somebody holds this.
public final class StreamSeat: Sendable {
  private let user: String
  private let seats: StreamSeats

  fileprivate init(user: String, among seats: StreamSeats) {
    self.user = user
    self.seats = seats
  }

  deinit { seats.giveBack(user) }
}
