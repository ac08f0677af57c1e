import StratusDomain
import StratusWire

/// Where the path of a URL leads.
enum RequestPath: Sendable, Equatable {
  /// `/database/1/{container}/{environment}/{database}/{entity}/{action}`.
  case database(DatabaseAddress, endpoint: String)
  /// `/management/1/{entity}/{action}`.
  case management(endpoint: String)
  /// `/health`.
  case health

  /// nil: nowhere.
  init?(_ path: Substring) {
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    if parts == ["health"] {
      self = .health
      return
    }
    guard parts.count >= 4, parts[1] == "1" else { return nil }
    switch parts[0] {
    case "management":
      self = .management(endpoint: parts[2...].joined(separator: "/"))
    case "database":
      guard parts.count >= 7, let environment = ContainerEnvironment(rawValue: String(parts[3])),
        let scope = DatabaseScope(rawValue: String(parts[4]))
      else { return nil }
      let store = StoreAddress(container: String(parts[2]), environment: environment)
      self = .database(
        DatabaseAddress(store: store, scope: scope),
        endpoint: parts[5...].joined(separator: "/"))
    default: return nil
    }
  }
}
