/// Keeps an app's records and a database in step.
///
/// The app says what it has changed, and is told of what others did; when and how it is sent and
/// fetched is the engine's affair. It keeps nothing itself: the app stores the state that each
/// ``Event/stateUpdate(_:)`` carries, and begins with it the next time.
///
/// The delegate is called for one thing at a time. Letting go of the engine ends its work.
public final class CKSyncEngine: Sendable, CustomStringConvertible {
  /// The database that is kept in step.
  public let database: CKDatabase
  /// What is still to be sent and fetched.
  public let state: State

  private let driver: SyncDriver

  /// Begins to keep a database in step. Make it early: only then does it hear of changes.
  ///
  /// Choice: the public database has no change feed; with it every call fails with
  /// `CKError.badDatabase`, and nothing happens by itself.
  public convenience init(_ configuration: Configuration) {
    self.init(configuration, surroundings: SyncSurroundings(of: configuration.database))
  }

  /// An engine in surroundings that a test or the simulation makes.
  package init(_ configuration: Configuration, surroundings: SyncSurroundings) {
    database = configuration.database
    state = State(SyncState(configuration.stateSerialization?.saved))
    driver = SyncDriver(configuration, state: state, surroundings: surroundings)
    driver.begin(for: self)
  }

  deinit { driver.stop() }

  /// Fetches changes now, and returns once the delegate has handled them.
  ///
  /// What is being fetched or sent already is finished first. Cancelling the task cancels the
  /// fetch.
  /// - Throws: why the fetch failed: `CKError.notAuthenticated` without an account,
  ///   `CKError.invalidArguments` where the delegate, while it is called, waits for it, which would
  ///   wait for ever.
  public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
    try await driver.perform(.fetch(options))
  }

  /// Sends pending changes now, and returns once the delegate has handled what became of them.
  ///
  /// What is being fetched or sent already is finished first. Cancelling the task cancels what is
  /// sent. What became of single records, conflicts among them, the delegate is told by events.
  /// - Throws: why not everything could be sent: `CKError.notAuthenticated` without an account,
  ///   `CKError.invalidArguments` where the delegate, while it is called, waits for it, which would
  ///   wait for ever.
  public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
    try await driver.perform(.send(options))
  }

  /// Cancels what is being fetched and sent, and what waits for it.
  ///
  /// What the server has already been asked to do may be done all the same. Changes stay pending
  /// and are sent with the next occasion. Returns when the work has ended; to the delegate while it
  /// is called, at once; and before, where one call of the delegate lasts ten minutes of the wait,
  /// since it may be the delegate that waits.
  public func cancelOperations() async { await driver.cancelOperations() }

  /// Stops at once, as if the process had died: the delegate hears nothing more.
  package func abandon() { driver.stop() }

  public var description: String {
    "<CKSyncEngine: database=\(database.databaseScope), state=\(state.summary)>"
  }
}

/// Stores what a sync engine fetches, and gives what it is to send.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
  /// Takes in what happened; the next call comes once it has returned.
  ///
  /// NB: `fetchChanges` and `sendChanges` must not be awaited in it; they throw.
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

  /// The next records to send, of those in the context's scope; nil: there are none.
  ///
  /// Called again and again, until nil.
  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch?

  /// What to fetch next; called between requests. Default: the context's options.
  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
  /// The options the fetch began with.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}
