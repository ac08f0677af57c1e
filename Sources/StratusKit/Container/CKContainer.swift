public import Foundation
package import StratusTransport
import StratusWire
import Synchronization

/// A container on the server, with its databases and the account that uses them.
public final class CKContainer: NSObject, @unchecked Sendable {
  /// The name of the container; nil for a default container without a configured name.
  public let containerIdentifier: String?

  let path: RequestPath
  let overrides: CallOverrides
  private let operationQueue: OperationQueue
  private let databases = Mutex<[CKDatabase.Scope: WeakDatabase]>([:])

  private static let defaultContainer = CKContainer(
    settings: Live.settings(), exchange: nil, timing: nil)

  /// Replaces the default container in a task and in its child tasks.
  @TaskLocal package static var substitute: CKContainer?

  /// Returns the container named by `STRATUS_CONTAINER`, or else by the credentials file. The
  /// result is always the same object, unless a test has replaced that object.
  ///
  /// Choice: if no name is configured, the identifier is nil, and requests of the container fail
  /// with `CKError.badContainer`. Apple's framework raises an exception.
  public class func `default`() -> CKContainer { substitute ?? defaultContainer }

  /// Makes the container with this name. The server and the credentials come from the process's
  /// environment or from the credentials file.
  public convenience init(identifier containerIdentifier: String) {
    self.init(identifier: containerIdentifier, settings: Settings())
  }

  /// Makes the container with this name and these settings. Missing settings come from the
  /// environment and the credentials file. This initialiser is an addition of Stratus.
  public convenience init(identifier containerIdentifier: String, settings: Settings) {
    self.init(
      settings: settings.wire(container: containerIdentifier).completed(by: Live.settings()),
      exchange: nil, timing: nil)
  }

  /// Makes a container that sends its requests through the given exchange and uses only these
  /// settings.
  ///
  /// - Parameters:
  ///   - events: delivers notifications; nil if the container receives none.
  ///   - program: the name of the program that this process represents; nil means the process's own
  ///     program.
  package convenience init(
    identifier containerIdentifier: String, settings: Settings,
    exchange: any HTTPExchange, timing: Timing? = nil, assets: AssetSettings? = nil,
    events: (any EventExchange)? = nil, program: String? = nil
  ) {
    self.init(
      settings: settings.wire(container: containerIdentifier), exchange: exchange, timing: timing,
      assets: assets, events: events, program: program)
  }

  private init(
    settings: ServerSettings, exchange: (any HTTPExchange)?, timing: Timing?,
    assets: AssetSettings? = nil, events: (any EventExchange)? = nil, program: String? = nil
  ) {
    path =
      if let exchange {
        RequestPath(
          settings: settings, exchange: exchange, timing: timing ?? Live.timing, assets: assets,
          events: events, program: program ?? Live.program)
      } else {
        RequestPath.shared(settings)
      }
    containerIdentifier = settings.container ?? path.connection?.address.container
    overrides = CallOverrides()
    operationQueue = OperationQueue()
    super.init()
    Self.alive.withLock { $0 += 1 }
  }

  private init(configuring container: CKContainer, overrides: CallOverrides) {
    containerIdentifier = container.containerIdentifier
    path = container.path
    operationQueue = container.operationQueue
    self.overrides = overrides
    super.init()
    Self.alive.withLock { $0 += 1 }
  }

  deinit { Self.alive.withLock { $0 -= 1 } }

  private static let alive = Mutex(0)

  /// Whether the process has any container.
  static var isAnyAlive: Bool { alive.withLock { $0 > 0 } }

  /// The database that all users can read.
  public var publicCloudDatabase: CKDatabase { database(with: .public) }
  /// The user's own database.
  public var privateCloudDatabase: CKDatabase { database(with: .private) }
  /// The database with the records that other users share with this user.
  public var sharedCloudDatabase: CKDatabase { database(with: .shared) }

  /// Returns the database of this scope. The corresponding property returns the same object.
  public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    // NB: the container holds its databases weakly, because a database holds its container.
    databases.withLock { databases in
      if let known = databases[databaseScope]?.database { return known }
      let database = CKDatabase(databaseScope, of: self)
      databases[databaseScope] = WeakDatabase(database: database)
      return database
    }
  }

  /// Runs an operation in this container.
  public func add(_ operation: CKOperation) {
    operation.container = self
    enqueue(operation)
  }

  func enqueue(_ operation: CKOperation) {
    overrides.apply(to: operation)
    operationQueue.addOperation(operation)
  }

  /// Runs `body` with a container whose calls use the given configuration and group.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ configuredContainer: CKContainer) throws -> R
  ) rethrows -> R {
    try body(configured(configuration, group))
  }

  /// Runs `body` with a container whose calls use the given configuration and group.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: @Sendable (_ configuredContainer: CKContainer) async throws -> R
  ) async rethrows -> R {
    try await body(configured(configuration, group))
  }

  func configured(
    _ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?
  ) -> CKContainer {
    CKContainer(
      configuring: self, overrides: overrides.overlaid(configuration: configuration, group: group))
  }
}

private struct WeakDatabase: Sendable {
  weak var database: CKDatabase?
}

/// The settings that a configured container or database passes to its operations.
struct CallOverrides: @unchecked Sendable {
  var configuration = CKOperation.Configuration.Explicit()
  var group: CKOperationGroup?

  func overlaid(
    configuration: CKOperation.Configuration?, group: CKOperationGroup?
  ) -> CallOverrides {
    CallOverrides(
      configuration: configuration?.explicit.completed(by: self.configuration)
        ?? self.configuration,
      group: group ?? self.group)
  }

  func apply(to operation: CKOperation) {
    operation.inherited = configuration
    if operation.group == nil { operation.group = group }
  }
}
