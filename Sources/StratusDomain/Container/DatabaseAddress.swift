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

/// The database that holds rows: the public one of a container, or the private one of a user.
///
/// A shared database holds no rows. See ``DatabaseView`` for what a caller opens.
public enum DatabaseKey: Sendable, Hashable {
  case `public`
  case `private`(owner: String)

  /// The user record name of the owner; nil for the public database.
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

  /// The view in which a user sees the zones of a database.
  init(_ database: DatabaseKey, of user: String) {
    switch database {
    case .public: self = .public
    case .private(let owner): self = owner == user ? .private(user: user) : .shared(user: user)
    }
  }

  /// The view in which the owner of a database sees it.
  public init(of database: DatabaseKey) {
    switch database {
    case .public: self = .public
    case .private(let owner): self = .private(user: owner)
    }
  }

  /// The record name of the user that the view belongs to; nil for the public database.
  public var user: String? {
    switch self {
    case .public: nil
    case .private(let user), .shared(let user): user
    }
  }

  /// The database that holds the rows of the view. It is nil for a shared database, because each of
  /// its zones is in its owner's database.
  public var database: DatabaseKey? {
    switch self {
    case .public: .public
    case .private(let user): .private(owner: user)
    case .shared: nil
    }
  }

  /// The database whose store keeps the view's own rows. For a shared database, these are the list
  /// of its zones and their history.
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

/// A zone as the store addresses it: the database that holds its rows, and its name.
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
