public import Foundation
import StratusWire

/// One of a container's databases.
///
/// The methods are short forms of the operations. Each method makes an operation, runs the
/// operation, and returns its results.
public final class CKDatabase: NSObject, @unchecked Sendable {
  /// The kind of a database.
  public enum Scope: Int, Sendable {
    /// The data of the app that all users have in common.
    case `public` = 1
    /// The user's own data.
    case `private` = 2
    /// Data of other users that is shared with this user.
    case shared = 3

    var wire: DatabaseScope {
      switch self {
      case .public: .public
      case .private: .private
      case .shared: .shared
      }
    }
  }

  /// The kind of this database.
  public let databaseScope: Scope

  let container: CKContainer

  init(_ scope: Scope, of container: CKContainer) {
    databaseScope = scope
    self.container = container
    super.init()
  }

  /// Runs an operation on this database.
  public func add(_ operation: CKDatabaseOperation) {
    operation.database = self
    container.enqueue(operation)
  }

  /// Runs `body` with a database whose calls use the given configuration and group.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ configuredDatabase: CKDatabase) throws -> R
  ) rethrows -> R {
    try body(container.configured(configuration, group).database(with: databaseScope))
  }

  /// Runs `body` with a database whose calls use the given configuration and group.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: @Sendable (_ configuredDatabase: CKDatabase) async throws -> R
  ) async rethrows -> R {
    try await body(container.configured(configuration, group).database(with: databaseScope))
  }
}
