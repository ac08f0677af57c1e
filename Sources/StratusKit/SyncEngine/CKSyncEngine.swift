/// Synchronizes an app's records with a database.
///
/// The app adds its changes to ``state``, and receives the changes on the server as events. The
/// engine decides when and how it sends and fetches changes. The engine stores nothing. The app
/// stores the state that each ``Event/stateUpdate(_:)`` contains, and passes it to the next engine.
///
/// The engine calls one method of its delegate at a time. Releasing the engine ends its work.
public final class CKSyncEngine: Sendable, CustomStringConvertible {
  /// The database that the engine synchronizes.
  public let database: CKDatabase
  /// The changes that are still to be sent and fetched.
  public let state: State

  private let driver: SyncDriver

  /// Starts to synchronize a database. Make the engine as early as possible, because an engine
  /// receives only the change signals that arrive after it was made.
  ///
  /// Choice: the public database has no change feed. An engine for the public database starts no
  /// work of its own, and ``fetchChanges(_:)`` and ``sendChanges(_:)`` fail with
  /// `CKError.badDatabase`.
  public convenience init(_ configuration: Configuration) {
    self.init(configuration, surroundings: SyncSurroundings(of: configuration.database))
  }

  /// Makes an engine in an environment that a test or the simulation provides.
  package init(_ configuration: Configuration, surroundings: SyncSurroundings) {
    database = configuration.database
    state = State(SyncState(configuration.stateSerialization?.saved))
    driver = SyncDriver(configuration, state: state, surroundings: surroundings)
    driver.begin(for: self)
  }

  deinit { driver.stop() }

  /// Fetches changes now, and returns after the delegate has handled them.
  ///
  /// A running fetch or send is finished first. Cancelling the task cancels the fetch, unless
  /// another call waits for the same fetch.
  ///
  /// - Throws: the error that ended the fetch, such as `CKError.notAuthenticated` if no account is
  ///   signed in. The error is `CKError.partialFailure`, with the errors by zone ID, if single
  ///   zones could not be fetched completely. The error is `CKError.invalidArguments` if a method
  ///   of the delegate may be waiting for this call. It is thrown at once if the method itself
  ///   awaits the call, and otherwise when the method has run for 60 s or 120 s (see
  ///   ``CKSyncEngineDelegate``).
  public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
    try await driver.perform(.fetch(options))
  }

  /// Sends pending changes now, and returns after the delegate has handled the results.
  ///
  /// A running fetch or send is finished first. Cancelling the task cancels the send, unless
  /// another call waits for the same send.
  ///
  /// The call sends each change at most once. A change that the delegate adds again in response to
  /// a failure stays pending for the next call, or for the next automatic send.
  ///
  /// - Throws: the error that ended the send, such as `CKError.notAuthenticated` if no account is
  ///   signed in. The error is `CKError.partialFailure` if single zones or records failed. It
  ///   contains their errors by ID, such as `serverRecordChanged` or `zoneNotFound`, which the
  ///   delegate also receives as events. The error is `CKError.invalidArguments` if a method of the
  ///   delegate may be waiting for this call. It is thrown at once if the method itself awaits the
  ///   call, and otherwise when the method has run for 60 s or 120 s (see
  ///   ``CKSyncEngineDelegate``).
  public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
    try await driver.perform(.send(options))
  }

  /// Cancels the running fetch or send, and all queued fetches and sends.
  ///
  /// The server may still carry out requests that it has received. Changes stay pending for the
  /// next send. The call returns when the work has ended. A call in a running method of the
  /// delegate, or in a task that such a method has started, returns at once. Any other call returns
  /// at the latest when a method of the delegate has run for 60 s, because the delegate may be
  /// waiting for this call.
  public func cancelOperations() async { await driver.cancelOperations() }

  /// The state of the engine's work at this moment. This property is an addition of Stratus.
  public var status: Status { driver.status }

  /// Stops at once, as in a crash: the delegate gets no further calls.
  package func abandon() { driver.stop() }

  public var description: String {
    "<CKSyncEngine: database=\(database.databaseScope), state=\(state.summary)>"
  }
}

/// Stores the changes that a sync engine fetches, and provides the records that it sends.
///
/// NB: a method of the delegate must not await `fetchChanges` or `sendChanges` of the engine,
/// because these calls wait until the method returns. Such a call in the method itself fails at
/// once with `CKError.invalidArguments`. A call in another task fails when a method of the delegate
/// has run for 60 s. The limit is 120 s for the call that requested the running fetch or send. The
/// call fails even if the delegate does not wait for that task, because the engine cannot know
/// whether the delegate waits. A method may start a task that makes such a call, if the method does
/// not wait for the task.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
  /// Handles an event. The engine calls no other method of the delegate until this method returns.
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

  /// Returns the next records to send within the context's scope, or nil if there are none.
  ///
  /// The engine calls this method until it returns nil, or until an error ends the send. After a
  /// failure that does not end the send, the engine skips the records that have failed in this
  /// send, and the records that were added after the failure. The send ends when a batch contains
  /// only such records.
  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch?

  /// Returns the options for the rest of a fetch. The engine calls this method before the first
  /// request and between requests. The default implementation returns the context's options.
  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
  /// Returns the options with which the fetch began.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}
