public import StratusWire

/// The reason why a whole request failed.
public enum TransportFailure: Error, Sendable {
  /// The server refused the request. The seconds come from the response's body, or else from its
  /// header `Retry-After`.
  case refused(ErrorDictionary, status: Int, retryAfterSeconds: Double?)
  /// The response does not have the endpoint's format. The text says why.
  case unreadable(status: Int, reason: String, retryAfterSeconds: Double?)
  /// No response arrived.
  case network(NetworkFailure)
  /// The request was not sent, because another account has signed in since the request began.
  case accountChanged
}

extension TransportFailure {
  /// Whether the server did nothing and asked the client to try again later.
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

  /// The delay in seconds that the server requested.
  public var retryAfterSeconds: Double? {
    switch self {
    case .refused(_, _, let seconds), .unreadable(_, _, let seconds): seconds
    case .network, .accountChanged: nil
    }
  }
}
