public import StratusWire

/// Which store: one container in one environment.
public struct StoreAddress: Sendable, Hashable {
  public var container: String
  public var environment: ContainerEnvironment

  public init(container: String, environment: ContainerEnvironment) {
    self.container = container
    self.environment = environment
  }
}

/// Where a request goes, as its path says it.
public struct DatabaseAddress: Sendable, Hashable {
  public var store: StoreAddress
  public var scope: DatabaseScope

  public init(store: StoreAddress, scope: DatabaseScope) {
    self.store = store
    self.scope = scope
  }
}

/// One database inside a store: the public one, or one user's private one.
public enum DatabaseKey: Sendable, Hashable {
  case `public`
  case `private`(owner: String)

  /// User record name of the owner; nil for the public database.
  public var owner: String? {
    switch self {
    case .public: nil
    case .private(let owner): owner
    }
  }
}
