import StratusDomain

/// The origin of a web page in the `Origin` header of a browser's request.
enum WebOrigin {
  private static let lengthMax = 300

  /// - Returns: the origin in lower case, as browsers send it.
  /// - Throws: `BAD_REQUEST` unless the text is a scheme and a host, with or without a port.
  static func checked(_ text: String) throws(ServerError) -> String {
    guard let origin = known(text) else {
      throw .badRequest(
        "'\(text.prefix(64))' is not an origin; give one such as https://app.example.org")
    }
    return origin
  }

  /// The origin in lower case; nil unless the text is a scheme and a host, with or without a port.
  ///
  /// NB: the user reads the origin, and `postMessage` parses it as a URL. So it must have no user
  /// part, path or wildcard.
  static func known(_ text: String) -> String? {
    guard text.utf8.count <= lengthMax else { return nil }
    let origin = text.lowercased()
    let form = /https?:\/\/(\[[0-9a-f:.]+\]|[0-9a-z_\-]+(\.[0-9a-z_\-]+)*\.?)(:[0-9]{1,5})?/
    return origin.wholeMatch(of: form) == nil ? nil : origin
  }

  /// Whether a URL leads to another machine without encryption.
  static func isClearText(_ url: String) -> Bool {
    url.lowercased().hasPrefix("http://") && !Visit.isPrivate(url.lowercased())
  }
}
