import StratusWire

/// How a file's transfer goes on after failures: what is there is kept, so only attempts since the
/// last progress count, and pieces become smaller while connections break.
struct TransferPace {
  /// Pieces are not made smaller than that.
  private static let pieceBytesMin = 65_536

  private let policy: RetryPolicy
  private let timing: Timing
  private let options: Connection.Options
  private let start: Double
  private let pieceBytesMax: Int
  private var attempt = 1
  /// Bytes to send or ask for next, at most.
  private(set) var pieceBytes: Int

  init(_ options: Connection.Options, timing: Timing, pieceBytesMax: Int) {
    policy = RetryPolicy(patience: options.patience, isIdempotent: true, isResumed: true)
    self.timing = timing
    self.options = options
    self.pieceBytesMax = pieceBytesMax
    pieceBytes = pieceBytesMax
    start = timing.now()
  }

  /// Seconds left for the whole file; nil: no bound.
  var remaining: Double? {
    options.resourceTimeoutSeconds.map { $0 - (timing.now() - start) }
  }

  /// Seconds for the next request.
  var timeoutSeconds: Double {
    min(options.requestTimeoutSeconds, max(remaining ?? .infinity, 0.001))
  }

  /// Notes that bytes were carried over.
  mutating func progress() {
    attempt = 1
    pieceBytes = min(pieceBytes * 2, pieceBytesMax)
  }

  /// Waits until the next attempt.
  ///
  /// - Throws: the failure, if it is final.
  mutating func wait(after failure: TransportFailure) async throws(TransportFailure) {
    let delay = policy.delay(
      after: failure, attempt: attempt, remaining: remaining, chance: timing.chance())
    guard let delay else { throw failure }
    do { try await timing.sleep(delay) } catch { throw .network(.cancelled) }
    attempt += 1
    pieceBytes = max(pieceBytes / 2, min(Self.pieceBytesMin, pieceBytesMax))
  }
}

/// Why a file did not get across.
public enum TransferFailure: Error, Sendable {
  /// The server could not be reached, or answered nothing that could be used.
  case transport(TransportFailure)
  /// The address is not good any more: ask for a new one.
  case addressExpired
  /// Who listens would see the file, though the server is called by https; a sentence says what
  /// to do.
  case addressInsecure(String)
  /// The trouble is with the file on this machine.
  case file(FileFailure)
}
