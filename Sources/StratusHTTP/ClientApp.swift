import StratusWire

/// The name and the version of the app that sent a request, as far as the request contains them.
///
/// Choice: CloudKit has no field for the app, so the server uses the query parameter
/// `clientBuildNumber`, which Apple's web apps send. If it is missing, the server uses the first
/// product of `User-Agent`, which both Apple's frameworks and Stratus send. An example is
/// `Notes/42` in `Notes/42 CFNetwork/1490 Darwin/23`.
enum ClientApp {
  /// - Parameter userAgent: the header field `User-Agent`, or nil if there is none.
  /// - Returns: printable ASCII text, which is empty if the request names no app.
  static func name(_ query: RequestQuery, userAgent: String?) -> String {
    let text =
      query.clientBuildNumber
      ?? userAgent.map {
        let space = UInt8(ascii: " ")
        return String(Substring($0.utf8.drop { $0 == space }.prefix { $0 != space }))
      }
      ?? ""
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    if isPlain, text.utf8.count <= Limits.appNameLengthMax { return text }
    return String(
      decoding: text.utf8.filter { (0x21...0x7E).contains($0) }.prefix(Limits.appNameLengthMax),
      as: UTF8.self)
  }
}
