import StratusWire
import Synchronization

/// Limits how many other users one user looks up, so that no user can try a long list of
/// addresses.
///
/// Choice: each process counts for itself. With several processes, a user can do more lookups, but
/// not more than the number of processes times the limit.
final class LookupPace: Sendable {
  private let perHour: Int?
  /// For each user, the time in milliseconds since 1970 UTC at which the user may look up the full
  /// number of users again.
  private let freeAt = Mutex<[String: Int64]>([:])
  private static let hour: Int64 = 3_600_000

  /// - Parameter perHour: see ``LimitSettings/userLookupsPerHour``.
  init(perHour: Int?) { self.perHour = perHour.map { max(1, $0) } }

  /// Counts the lookups of a request.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  /// - Throws: `THROTTLED` if the user has looked up too many users. Nothing is counted then.
  func take(_ count: Int, by user: String, now: Int64) throws(ServerError) {
    guard let perHour, count > 0 else { return }
    let cost = Self.hour / Int64(perHour) * Int64(min(count, perHour))
    let waitMilliseconds: Int64? = freeAt.withLock { freeAt in
      // NB: a clock that was set back must not block a user for long.
      let known = min(freeAt[user] ?? now, now + Self.hour)
      let next = max(known, now) + cost
      if next > now + Self.hour { return next - now - Self.hour }
      if freeAt.count >= Limits.pacedCallersMax { freeAt = freeAt.filter { $0.value > now } }
      if freeAt.count >= Limits.pacedCallersMax { freeAt.removeAll() }
      freeAt[user] = next
      return nil
    }
    if let waitMilliseconds {
      throw ServerError(
        .throttled, LimitRule.userLookups.reason,
        retryAfterSeconds: Int((waitMilliseconds + 999) / 1_000))
    }
  }
}
