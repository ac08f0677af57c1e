public import Foundation
package import StratusTransport
import StratusWire
import Synchronization

/// An app's place on the server: its databases, and the account they are used with.
public final class CKContainer: NSObject, @unchecked Sendable {
  /// The name of the container; nil for a default container that nothing names.
  public let containerIdentifier: String?

  let path: RequestPath
  let overrides: CallOverrides
  private let operationQueue: OperationQueue
  private let databases = Mutex<[CKDatabase.Scope: WeakDatabase]>([:])

  private static let defaultContainer = CKContainer(
    settings: Live.settings(), exchange: nil, timing: nil)

  /// Stands in for the default container in a task and in those that it starts.
  @TaskLocal package static var substitute: CKContainer?

  /// The container named by `STRATUS_CONTAINER`, else by the credentials file; always the same
  /// object, except in a test that has put another in its place.
  ///
  /// Choice: where nothing names one its identifier is nil, and using it fails with
  /// `CKError.badContainer`; Apple's framework raises an exception.
  public class func `default`() -> CKContainer { substitute ?? defaultContainer }

  /// The container of that name, on the server and with the credentials that the process's
  /// environment or the credentials file names.
  public convenience init(identifier containerIdentifier: String) {
    self.init(identifier: containerIdentifier, settings: Settings())
  }

  /// The container of that name, with settings made in code; what they leave out comes from the
  /// environment and the credentials file. An addition of Stratus.
  public convenience init(identifier containerIdentifier: String, settings: Settings) {
    self.init(
      settings: settings.wire(container: containerIdentifier).completed(by: Live.settings()),
      exchange: nil, timing: nil)
  }

  /// A container that speaks through the given exchange, by these settings alone.
  ///
  /// - Parameters:
  ///   - events: brings notifications; nil: none come.
  ///   - program: names the program that this process is taken for; nil: its own.
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

  /// Whether the process has a container.
  static var isAnyAlive: Bool { alive.withLock { $0 > 0 } }

  /// The database everybody reads.
  public var publicCloudDatabase: CKDatabase { database(with: .public) }
  /// The user's own database.
  public var privateCloudDatabase: CKDatabase { database(with: .private) }
  /// What others share with the user.
  public var sharedCloudDatabase: CKDatabase { database(with: .shared) }

  /// The database of that scope: the same object as the property.
  public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    // NB: held weakly, because a database holds its container.
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

/// What a configured container or database gives to the operations that run in it.
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
