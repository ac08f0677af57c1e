import Synchronization

/// The token that all requests of the sender contain. It is renewed before it expires.
///
/// Source: Apple, *Establishing a token-based connection to APNs*. Apple refuses a token that is an
/// hour old. Apple also refuses a sender that renews its token more often than every 20 minutes.
final class ProviderToken: Sendable {
  /// The age at which a token is renewed even if Apple has not refused it.
  static let renewalMilliseconds: Int64 = 40 * 60_000
  /// The time after a forced renewal during which a refused token is not renewed again.
  static let forcedRenewalMilliseconds: Int64 = 20 * 60_000

  private struct State {
    var text: String?
    var issuedAt: Int64 = 0
    var forcedAt: Int64?
  }

  private let key: APNsKey
  /// Returns the time in milliseconds since 1970 UTC.
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  init(key: APNsKey, now: @escaping @Sendable () -> Int64) {
    self.key = key
    self.now = now
  }

  /// Returns the token for the next request.
  func current() throws(APNsKeyFailure) -> String {
    let time = now()
    return try state.withLock { state throws(APNsKeyFailure) in
      // NB: if the clock was set back, the token was issued in the future. Apple also refuses such
      // a token.
      let isFresh = (0..<Self.renewalMilliseconds).contains(time - state.issuedAt)
      if let text = state.text, isFresh { return text }
      return try issue(&state, at: time)
    }
  }

  /// Returns a token to use instead of a token that Apple refused as too old.
  ///
  /// - Returns: nil if a token was renewed for this reason a short time ago, because Apple would
  ///   refuse another renewal.
  func renewed(after refused: String) throws(APNsKeyFailure) -> String? {
    let time = now()
    return try state.withLock { state throws(APNsKeyFailure) -> String? in
      // Many requests may be refused at the same time. The first of them renews the token for all.
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
