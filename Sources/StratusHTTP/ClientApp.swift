import HTTPTypes
import StratusWire

/// The app of a client and its version, as far as a request contains them.
///
/// Choice: CloudKit has no field for the app. The name is the query parameter `clientBuildNumber`,
/// which Apple's web apps send. If it is missing, the name is the first product of `User-Agent`,
/// which Apple's frameworks and ours send: for example `Notes/42` of `Notes/42 CFNetwork/1490
/// Darwin/23`.
enum ClientApp {
  /// - Returns: printable ASCII text; empty: the request names no app.
  static func name(of request: HTTPRequest) -> String {
    let query = RequestQuery(RequestTarget(request.path ?? "/").query)
    let text =
      query.clientBuildNumber
      ?? request.headerFields[.userAgent].flatMap {
        $0.split(separator: " ").first.map(String.init)
      }
      ?? ""
    return String(
      decoding: text.utf8.filter { (0x21...0x7E).contains($0) }.prefix(Limits.appNameLengthMax),
      as: UTF8.self)
  }
}
