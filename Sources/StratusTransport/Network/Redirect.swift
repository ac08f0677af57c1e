import Foundation

/// Where an answer sends a request on to.
///
/// Choice: only to the same scheme, host and port. A request carries credentials in its address,
/// and its body may be private, so neither goes to another host, or unencrypted. `GET` is sent on
/// by every such status, `POST` by 307 and 308 only: the others would turn it into a `GET`.
enum Redirect {
  /// Redirections of one request that are followed.
  static let countMax = 5

  /// The address to ask in place of the request's; nil: the answer is the request's answer.
  static func target(status: Int, headers: [String: String], of request: HTTPRequest) -> URL? {
    let statuses = request.method == .get ? [301, 302, 303, 307, 308] : [307, 308]
    guard statuses.contains(status), let location = headers["location"],
      let url = URL(string: location, relativeTo: request.url)?.absoluteURL,
      let origin = origin(of: url), origin == self.origin(of: request.url)
    else { return nil }
    return url
  }

  /// Scheme, host and port; nil if there is no host.
  static func origin(of url: URL) -> String? {
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else {
      return nil
    }
    return "\(scheme)://\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
  }

  /// A sentence for people about a redirection that is not followed.
  static func reason(headers: [String: String]) -> String {
    let origin = headers["location"].flatMap { URL(string: $0) }.flatMap(origin(of:))
    let place = origin.map { " to \($0)" } ?? ""
    return "the server redirects\(place), and only redirections within one server are followed; "
      + "set STRATUS_URL to the address that answers"
  }
}
