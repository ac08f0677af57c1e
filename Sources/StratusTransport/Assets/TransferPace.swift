import StratusWire

/// Controls the retries of a file transfer. Transferred bytes are not sent again, so only the
/// attempts since the last progress count as failures. Pieces become smaller after each failure.
struct TransferPace {
  /// The minimum size of a piece in bytes.
  private static let pieceBytesMin = 65_536

  private let policy: RetryPolicy
  private let timing: Timing
  private let options: Connection.Options
  private let start: Double
  private let pieceBytesMax: Int
  private var attempt = 1
  /// The maximum size of the next piece in bytes.
  private(set) var pieceBytes: Int

  init(_ options: Connection.Options, timing: Timing, pieceBytesMax: Int) {
    policy = RetryPolicy(patience: options.patience, isIdempotent: true, isResumed: true)
    self.timing = timing
    self.options = options
    self.pieceBytesMax = pieceBytesMax
    pieceBytes = pieceBytesMax
    start = timing.now()
  }

  /// The number of seconds that are left for the whole file. nil means no limit.
  var remaining: Double? {
    options.resourceTimeoutSeconds.map { $0 - (timing.now() - start) }
  }

  /// The time-out of the next request in seconds.
  var timeoutSeconds: Double {
    min(options.requestTimeoutSeconds, max(remaining ?? .infinity, 0.001))
  }

  /// Is called when bytes were transferred.
  mutating func progress() {
    attempt = 1
    pieceBytes = min(pieceBytes * 2, pieceBytesMax)
  }

  /// Waits until the next attempt.
  ///
  /// - Throws: the failure, if the policy allows no further attempt, or `.network(.cancelled)`.
  mutating func wait(after failure: TransportFailure) async throws(TransportFailure) {
    let delay = policy.delay(
      after: failure, attempt: attempt, remaining: remaining, chance: timing.chance())
    guard let delay else { throw failure }
    do { try await timing.sleep(delay) } catch { throw .network(.cancelled) }
    attempt += 1
    pieceBytes = max(pieceBytes / 2, min(Self.pieceBytesMin, pieceBytesMax))
  }
}

/// The reason why a file transfer failed.
public enum TransferFailure: Error, Sendable {
  /// The server could not be reached, or gave no usable response.
  case transport(TransportFailure)
  /// The address has expired, and the caller must request a new address.
  case addressExpired
  /// The address uses http although the server uses https, so other computers in the network could
  /// read the file. The text says what to do.
  case addressInsecure(String)
  /// The local file has changed, is missing, or cannot be read or written.
  case file(FileFailure)
}
