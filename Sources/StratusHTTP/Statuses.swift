import HTTPTypes
import StratusDomain
import StratusWire

extension ServerError {
  /// The status of an answer that reports this error.
  var status: HTTPResponse.Status {
    switch code {
    case .accessDenied: .forbidden
    case .atomicError: .badRequest
    case .authenticationFailed: .unauthorized
    case .authenticationRequired: .misdirectedRequest
    case .badRequest:
      switch reason {
      case Reason.requestTooLarge: .contentTooLarge
      case Reason.methodNotAllowed: .methodNotAllowed
      default: .badRequest
      }
    case .conflict, .exists: .conflict
    case .internalError: .internalServerError
    case .notFound, .zoneNotFound: .notFound
    case .quotaExceeded: .contentTooLarge
    case .throttled: .tooManyRequests
    case .tryAgainLater: .serviceUnavailable
    case .validatingReferenceError: .preconditionFailed
    }
  }
}
