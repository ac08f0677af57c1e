public import StratusWire

/// The address of a store: one container in one environment.
public struct StoreAddress: Sendable, Hashable {
  public var container: String
  public var environment: ContainerEnvironment

  public init(container: String, environment: ContainerEnvironment) {
    self.container = container
    self.environment = environment
  }
}

/// The database that the path of a request names.
public struct DatabaseAddress: Sendable, Hashable {
  public var store: StoreAddress
  public var scope: DatabaseScope

  public init(store: StoreAddress, scope: DatabaseScope) {
    self.store = store
    self.scope = scope
  }
}

/// A database that stores zones and records: the public one of a container, or the private one of a
/// user.
///
/// A shared database shows zones that other databases store. See ``DatabaseView`` for the databases
/// that a caller can open.
public enum DatabaseKey: Sendable, Hashable {
  case `public`
  case `private`(owner: String)

  /// The user record name of the owner, or nil for the public database.
  public var owner: String? {
    switch self {
    case .public: nil
    case .private(let owner): owner
    }
  }
}

/// The database that a caller opens: the public one, the user's private one, or the user's shared
/// one. The shared database shows zones in the private databases of other users.
public enum DatabaseView: Sendable, Hashable {
  case `public`
  case `private`(user: String)
  case shared(user: String)

  /// Creates the view in which a user sees the zones of a database.
  init(_ database: DatabaseKey, of user: String) {
    switch database {
    case .public: self = .public
    case .private(let owner): self = owner == user ? .private(user: user) : .shared(user: user)
    }
  }

  /// Creates the view in which the owner of a database sees it.
  public init(of database: DatabaseKey) {
    switch database {
    case .public: self = .public
    case .private(let owner): self = .private(user: owner)
    }
  }

  /// The record name of the user that the view belongs to, or nil for the public database.
  public var user: String? {
    switch self {
    case .public: nil
    case .private(let user), .shared(let user): user
    }
  }

  /// The database that stores the zones of the view. It is nil for a shared database, because each
  /// of its zones is stored in the owner's database.
  public var database: DatabaseKey? {
    switch self {
    case .public: .public
    case .private(let user): .private(owner: user)
    case .shared: nil
    }
  }

  /// The database under which the store keeps the view's list of zones and their history. For a
  /// shared database, this is the private database of the same user.
  var home: DatabaseKey {
    switch self {
    case .public: .public
    case .private(let user), .shared(let user): .private(owner: user)
    }
  }

  public var scope: DatabaseScope {
    switch self {
    case .public: .public
    case .private: .private
    case .shared: .shared
    }
  }
}

/// The address of a zone in a store: the database that stores the zone, and the zone's name.
public struct ZoneAddress: Sendable, Hashable {
  public let database: DatabaseKey
  private let exactName: ExactName

  public init(database: DatabaseKey, name: String) {
    self.database = database
    exactName = ExactName(name)
  }

  public var name: String { exactName.text }
  public var isDefault: Bool { name == ZoneID.defaultZoneName }

  /// The full zone ID, as answers show it.
  var id: ZoneID {
    ZoneID(zoneName: name, ownerRecordName: database.owner ?? "_defaultOwner")
  }
}
