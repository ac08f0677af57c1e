import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The exchange over Foundation's `URLSession`: keeps connections alive and shares them.
public final class URLSessionExchange: HTTPExchange {
  private let session: URLSession

  /// Makes an exchange with a session of its own.
  ///
  /// - Parameter connectionsMax: connections to one server at the same time; default 16.
  public init(connectionsMax: Int = 16) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = connectionsMax
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    session = URLSession(configuration: configuration)
  }

  public func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    var sent = URLRequest(url: request.url)
    // NB: on Linux the initialiser's time-out is ignored, and the property's cut to whole seconds.
    sent.timeoutInterval = max(1, request.timeoutSeconds.rounded(.up))
    sent.httpMethod = request.method.rawValue
    switch request.method {
    case .get: break
    case .post: sent.httpBody = Data(request.body)
    }
    for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
    do {
      let (body, response) = try await session.data(for: sent)
      guard let response = response as? HTTPURLResponse else {
        throw NetworkFailure.lostAfterSending
      }
      return HTTPResponse(
        status: response.statusCode, headers: Self.headers(of: response), body: Array(body))
    } catch {
      throw Self.failure(error)
    }
  }

  static func headers(of response: HTTPURLResponse) -> [String: String] {
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      headers["\(name)".lowercased()] = "\(value)"
    }
    return headers
  }

  /// Where URLSession does not say how far it came, the worse is assumed: that the server has the
  /// request.
  static func failure(_ error: any Error) -> NetworkFailure {
    if error is CancellationError { return .cancelled }
    guard let error = error as? URLError else { return .lostAfterSending }
    return switch error.code {
    case .cancelled: .cancelled
    case .timedOut: .timedOut
    case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed: .notConnected
    case .cannotConnectToHost, .secureConnectionFailed, .serverCertificateUntrusted,
      .serverCertificateHasBadDate, .serverCertificateNotYetValid,
      .serverCertificateHasUnknownRoot, .badURL, .unsupportedURL:
      .lostBeforeSending
    default: .lostAfterSending
    }
  }
}
