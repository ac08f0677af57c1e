import Synchronization

/// The sender's token in all requests. It is renewed before it expires.
///
/// Source: Apple, *Establishing a token-based connection to APNs*: a token is refused when it is an
/// hour old. A sender that renews its token more often than every 20 minutes is also refused.
final class ProviderToken: Sendable {
  /// The age at which a token is replaced even if Apple has not refused it.
  static let renewalMilliseconds: Int64 = 40 * 60_000
  /// The time after a forced renewal during which a refusal does not cause another renewal.
  static let forcedRenewalMilliseconds: Int64 = 20 * 60_000

  private struct State {
    var text: String?
    var issuedAt: Int64 = 0
    var forcedAt: Int64?
  }

  private let key: APNsKey
  /// Milliseconds since 1970 UTC.
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  init(key: APNsKey, now: @escaping @Sendable () -> Int64) {
    self.key = key
    self.now = now
  }

  /// Returns the token to send.
  func current() throws(APNsKeyFailure) -> String {
    let time = now()
    return try state.withLock { state throws(APNsKeyFailure) in
      // NB: if the clock was set back, the token's time is in the future. Apple refuses such
      // tokens, too.
      let isFresh = (0..<Self.renewalMilliseconds).contains(time - state.issuedAt)
      if let text = state.text, isFresh { return text }
      return try issue(&state, at: time)
    }
  }

  /// Returns a token that replaces a token that Apple refused as too old.
  ///
  /// - Returns: nil if a token was renewed for this reason a short time ago. Another renewal would
  ///   be refused, too.
  func renewed(after refused: String) throws(APNsKeyFailure) -> String? {
    let time = now()
    return try state.withLock { state throws(APNsKeyFailure) -> String? in
      // Many requests may be refused at the same time. The first one renews the token for all of
      // them.
      if let text = state.text, text != refused { return text }
      if let forcedAt = state.forcedAt, abs(time - forcedAt) < Self.forcedRenewalMilliseconds {
        return nil
      }
      state.forcedAt = time
      return try issue(&state, at: time)
    }
  }

  private func issue(_ state: inout State, at time: Int64) throws(APNsKeyFailure) -> String {
    let text = try key.token(issuedAtSeconds: time / 1_000)
    state.text = text
    state.issuedAt = time
    return text
  }
}
