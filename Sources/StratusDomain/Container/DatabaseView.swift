/// A database as a caller opens it: it has a history of its own.
///
/// The rows of a zone that a shared database shows are in its owner's database.
public enum DatabaseView: Sendable, Hashable {
  case `public`
  case `private`(user: String)
  /// The zones of others in which the user takes part.
  case shared(user: String)

  /// The view of a database that shows the zones whose rows are in it.
  public init(of database: DatabaseKey) {
    switch database {
    case .public: self = .public
    case .private(let owner): self = .private(user: owner)
    }
  }
}
