import Foundation

/// Decides whether a redirect is followed.
///
/// Choice: only redirects to the same scheme, host and port are followed. A request has credentials
/// in its URL, and its body may be private. Neither the credentials nor the body may be sent to
/// another host, or without encryption. `GET` follows every redirect status. `POST` follows only
/// 307 and 308, because the other statuses would turn it into a `GET`.
enum Redirect {
  /// The maximum number of redirects of one request.
  static let countMax = 5

  /// Returns the URL to request instead, or nil if the response is final.
  static func target(status: Int, headers: [String: String], of request: HTTPRequest) -> URL? {
    let statuses = request.method == .get ? [301, 302, 303, 307, 308] : [307, 308]
    guard statuses.contains(status), let location = headers["location"],
      let url = URL(string: location, relativeTo: request.url)?.absoluteURL,
      let origin = origin(of: url), origin == self.origin(of: request.url)
    else { return nil }
    return url
  }

  /// Returns the scheme, host and port of a URL, or nil if it has no host.
  static func origin(of url: URL) -> String? {
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else {
      return nil
    }
    return "\(scheme)://\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
  }

  /// Returns a sentence for the user about a redirect that is not followed.
  static func reason(headers: [String: String]) -> String {
    let origin = headers["location"].flatMap { URL(string: $0) }.flatMap(origin(of:))
    let target = origin.map { " to \($0)" } ?? ""
    return "the server redirects\(target), and only redirections within one server are followed; "
      + "set STRATUS_URL to the address that answers"
  }
}
