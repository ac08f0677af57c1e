import Foundation
import StratusDomain

/// What the query of a URL says that concerns us; all else is ignored (wire-quirks A4).
struct RequestQuery: Sendable, Equatable {
  var credentials = Credentials(apiToken: nil, webAuthToken: nil)
  var clientID: String?
  var wantsSyncToken = false

  init(_ query: Substring?) {
    guard let query else { return }
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = Substring(pair[pair.index(after: equals)...])
      switch Substring(pair[..<equals]) {
      case "ckAPIToken": credentials.apiToken = Self.decode(value)
      case "ckWebAuthToken": credentials.webAuthToken = Self.decode(value)
      case "clientId": clientID = Self.decode(value)
      case "getCurrentSyncToken": wantsSyncToken = value == "True" || value == "true"
      default: continue
      }
    }
  }

  /// NB: a plus sign stays one. Scripts forget to encode it, and no value of ours holds a space
  /// (wire-quirks A6).
  private static func decode(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    return text.removingPercentEncoding ?? String(text)
  }
}
