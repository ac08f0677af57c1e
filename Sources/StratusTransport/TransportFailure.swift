public import StratusWire

/// Why a whole request failed.
public enum TransportFailure: Error, Sendable {
  /// The server refused it. The seconds are from the answer's body, else its `Retry-After`.
  case refused(ErrorDictionary, status: Int, retryAfterSeconds: Double?)
  /// The answer is not what the endpoint answers; the sentence says why.
  case unreadable(status: Int, reason: String, retryAfterSeconds: Double?)
  /// No answer came.
  case network(NetworkFailure)
  /// It was not sent: another account is signed in by now than the one it was begun for.
  case accountChanged
}

extension TransportFailure {
  /// Whether the server asked to come again later, having done nothing.
  var isPostponed: Bool {
    switch self {
    case .refused(let error, let status, _):
      switch error.code {
      case .throttled, .tryAgainLater: true
      case .accessDenied, .atomicError, .authenticationFailed, .authenticationRequired,
        .badRequest, .conflict, .exists, .internalError, .notFound, .quotaExceeded,
        .validatingReferenceError, .zoneNotFound:
        status == 429 || status == 503
      }
    case .unreadable(let status, _, _): status == 429 || status == 503
    case .network, .accountChanged: false
    }
  }

  /// Seconds the server asked to wait.
  public var retryAfterSeconds: Double? {
    switch self {
    case .refused(_, _, let seconds), .unreadable(_, _, let seconds): seconds
    case .network, .accountChanged: nil
    }
  }
}
