import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

extension NetworkFailure {
  /// - Parameter isSent: whether the server may have received a part of the request.
  init(_ error: any Error, isSent: Bool) {
    if error as? HTTPClientError == .cancelled {
      self = .cancelled
    } else if isSent {
      self = .lostAfterSending
    } else {
      self = Self.hasNoWay(error) ? .notConnected : .lostBeforeSending
    }
  }

  /// Whether this machine has no network, or no address for the server's name.
  private static func hasNoWay(_ error: any Error) -> Bool {
    if let error = error as? NIOConnectionError {
      return error.connectionErrors.allSatisfy { hasNoWay($0.error) }
    }
    if let error = error as? IOError {
      return [ENETUNREACH, ENETDOWN, EHOSTUNREACH].contains(error.errnoCode)
    }
    return error is SocketAddressError
  }
}
