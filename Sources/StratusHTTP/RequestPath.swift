import StratusDomain
import StratusWire

/// Where the path of a URL leads.
enum RequestPath: Sendable, Equatable {
  /// `/database/1/{container}/{environment}/{database}/{entity}/{action}`.
  case database(DatabaseAddress, endpoint: String)
  /// `/management/1/{entity}/{action}`.
  case management(endpoint: String)
  /// `/assets/upload/{ticket}`.
  case upload(ticket: String)
  /// `/assets/download/{ticket}`; a file's name may follow, which clients put in for `${f}`
  /// (web-services §3.4).
  case download(ticket: String)
  /// `/health`.
  case health

  /// nil: nowhere.
  init?(_ path: Substring) {
    var parts = PathParts(rest: path.utf8)
    switch parts.next() {
    case "health":
      guard parts.next() == nil else { return nil }
      self = .health
    case "assets":
      let kind = parts.next()
      guard let ticket = parts.next() else { return nil }
      switch kind {
      case "upload": self = .upload(ticket: String(ticket))
      case "download": self = .download(ticket: String(ticket))
      case _: return nil
      }
    case "management":
      guard parts.next() == "1" else { return nil }
      self = .management(endpoint: parts.remaining)
    case "database":
      guard parts.next() == "1", let container = parts.next(),
        let environment = parts.next().flatMap({ ContainerEnvironment(rawValue: String($0)) }),
        let scope = parts.next().flatMap({ DatabaseScope(rawValue: String($0)) })
      else { return nil }
      let store = StoreAddress(container: String(container), environment: environment)
      self = .database(
        DatabaseAddress(store: store, scope: scope), endpoint: parts.remaining)
    case _: return nil
    }
  }
}

/// What stands between the slashes of a path; nothing does not count.
private struct PathParts {
  private static let slash = UInt8(ascii: "/")

  var rest: Substring.UTF8View

  mutating func next() -> Substring? {
    rest = rest.drop { $0 == Self.slash }
    let part = rest.prefix { $0 != Self.slash }
    rest = rest[part.endIndex...]
    return part.isEmpty ? nil : Substring(part)
  }

  /// All parts to come, a slash between each two.
  var remaining: String {
    var copy = self
    var text = copy.next().map { String($0) } ?? ""
    while let part = copy.next() {
      text += "/"
      text += part
    }
    return text
  }
}
