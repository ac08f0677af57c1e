import StratusDomain
import StratusWire

/// The path of a request's URL, as the server understands it.
enum RequestPath: Sendable, Equatable {
  /// `/database/1/{container}/{environment}/{database}/{entity}/{action}`. For devices and their
  /// notifications, it is `/device/1/{container}/{environment}/{entity}/{action}`.
  case database(DatabaseAddress, endpoint: String)
  /// `/device/1/{container}/{environment}/notifications/stream`.
  case stream(StoreAddress)
  /// `/push/{token}`.
  case courier(token: String)
  /// `/management/1/{entity}/{action}`.
  case management(endpoint: String)
  /// `/assets/upload/{ticket}`.
  case upload(ticket: String)
  /// `/assets/download/{ticket}`. A file name may follow, because clients replace `${f}` by a name.
  case download(ticket: String)
  /// `/health`, `/health/live`, `/health/ready`.
  case health(Health)
  /// `/`.
  case home
  /// `/openapi.json`, the description of the API.
  case openAPI
  /// `/auth/…`, `/account`, `/account/…`, `/share/…` and `/applications/…`, the server's own pages.
  case page(String)

  /// The kinds of health checks.
  enum Health: String, Sendable {
    /// Whether the server answers at all. The path `/health` means the same.
    case live
    /// Whether the server can do its work.
    case ready
  }

  /// Whether the path is for the operator only.
  var isManagement: Bool {
    if case .management = self { true } else { false }
  }

  /// Returns nil for an unknown path.
  init?(_ path: Substring) {
    if path == "/" {
      self = .home
      return
    }
    var parts = PathParts(rest: path.utf8)
    switch parts.next() {
    case "openapi.json":
      guard parts.next() == nil else { return nil }
      self = .openAPI
    case "health":
      guard let health = Health(rawValue: String(parts.next() ?? "live")), parts.next() == nil
      else { return nil }
      self = .health(health)
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
    case "push":
      guard let token = parts.next(), parts.next() == nil else { return nil }
      self = .courier(token: String(token))
    case "auth", "account", "share", "applications": self = .page(String(path))
    case "database": self.init(store: &parts, isDevice: false)
    case "device": self.init(store: &parts, isDevice: true)
    case _: return nil
    }
  }

  /// Reads the path after `database` or `device`.
  ///
  /// NB: in a request about devices, the path may contain the name of a database or omit it,
  /// whether the path begins with `database` or with `device`. All other paths begin with
  /// `database` and contain the name of a database.
  private init?(store parts: inout PathParts, isDevice: Bool) {
    guard parts.next() == "1", let container = parts.next(),
      let environment = parts.next().flatMap({ ContainerEnvironment(rawValue: String($0)) })
    else { return nil }
    let store = StoreAddress(container: String(container), environment: environment)
    var rest = parts
    let scope = rest.next().flatMap { DatabaseScope(rawValue: String($0)) }
    if scope != nil { parts = rest }
    let endpoint = parts.remaining
    let isAboutDevices = endpoint.hasPrefix("tokens/") || endpoint.hasPrefix("notifications/")
    guard scope != nil ? !isDevice || isAboutDevices : isAboutDevices else { return nil }
    if endpoint == StreamNotifications.path {
      self = .stream(store)
    } else {
      self = .database(DatabaseAddress(store: store, scope: scope ?? .private), endpoint: endpoint)
    }
  }
}

/// The parts of a path between its slashes. Empty parts are skipped.
private struct PathParts {
  private static let slash = UInt8(ascii: "/")

  var rest: Substring.UTF8View

  mutating func next() -> Substring? {
    rest = rest.drop { $0 == Self.slash }
    let part = rest.prefix { $0 != Self.slash }
    rest = rest[part.endIndex...]
    return part.isEmpty ? nil : Substring(part)
  }

  /// All remaining parts, joined by slashes.
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
