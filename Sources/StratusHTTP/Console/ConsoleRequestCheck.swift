import HTTPTypes

/// Checks that a request to the console comes from the console's own page.
///
/// The cookie alone does not prove this: a browser may also send it with a request that
/// another page sends. See `docs/internals/console.md`, *Each request*.
struct ConsoleRequestCheck: Sendable {
  /// The parts of a request's head that the check reads.
  struct Head: Sendable {
    var method: String
    /// The path below `/console/1/`, without a query.
    var path: String
    var contentType: String?
    var host: String?
    var origin: String?
    var fetchSite: String?
  }

  /// The URL of the console without a path, in lower case, such as `https://console.example.org`.
  let consoleURL: String

  /// The path of the stream of live updates.
  static let livePath = "live"
  /// The beginning of the paths to which the browser sends files.
  static let uploadPrefix = "assets/upload/"

  /// Whether the request may be examined further.
  func allows(_ head: Head) -> Bool {
    guard head.fetchSite == nil || head.fetchSite == "same-origin" else { return false }
    guard head.origin == nil || head.origin?.lowercased() == consoleURL else { return false }
    // NB: a name that leads to this address by DNS rebinding is another host.
    guard let host = head.host?.lowercased(), consoleURL.hasSuffix("://" + host) else {
      return false
    }
    if head.path == Self.livePath { return head.method == "GET" }
    guard head.method == "POST" else { return false }
    let type = head.contentType?.prefix { $0 != ";" }.lowercased()
    return head.path.hasPrefix(Self.uploadPrefix)
      ? type == "application/octet-stream" : type == "application/json"
  }
}

extension HTTPField.Name {
  /// The header field of a request that an open page sends by itself, because something has
  /// changed.
  static let consoleRefresh = HTTPField.Name("Stratus-Refresh") ?? .server
}
