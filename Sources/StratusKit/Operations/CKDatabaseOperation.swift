import Foundation
import StratusTransport
import Synchronization

/// An operation on a database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  /// Makes an operation without a database; set ``database`` or add the operation to a database.
  public override init() { super.init() }

  /// The database on which the operation runs; nil means the private database of the operation's
  /// container.
  ///
  /// Setting the database also sets the container.
  open var database: CKDatabase? {
    get { givenDatabase }
    set {
      givenDatabase = newValue
      if let newValue { container = newValue.container }
    }
  }

  /// The saved steps of a long-lived operation; nil if the operation is not saved.
  private let steps = Mutex<LongLivedSteps?>(nil)

  /// Performs the operation. The method is called at most once, and not if the operation is
  /// cancelled before it starts.
  func perform(in database: DatabaseCalls) async throws(CKError) {}

  override final func perform() async throws(CKError) {
    let started = sharedStarted
    let resolved = started.resolved
    let container = startedContainer
    let scope = started.database?.databaseScope ?? .private
    var options = Connection.Options(resolved, operationID: operationID, group: started.group)
    // NB: the generation is set before the operation and its owner are saved, so that no request
    // runs in another user's name.
    options.generation = container.path.connection?.generation
    if resolved.isLongLived == true {
      persist(in: container, scope: scope, generation: options.generation)
    }
    let steps = steps.withLock { $0 }
    try await steps?.requireSameUser(on: container.path, options: options)
    do throws(CKError) {
      try await perform(
        in: DatabaseCalls(
          path: container.path, scope: scope.wire, options: options, steps: steps))
    } catch {
      steps?.keepIfAnothers(on: container.path, options: options)
      throw error
    }
  }

  /// Continues an operation that an earlier process began.
  final func resume(_ resumed: LongLivedSteps) {
    operationID = resumed.saved.id
    steps.withLock { $0 = resumed }
  }

  /// Saves a long-lived operation.
  ///
  /// Choice: if the operation cannot be saved, it runs nevertheless, but it does not outlast the
  /// process.
  /// - Parameter generation: the connection's generation when the operation started. If the
  ///   generation has changed, the operation is not saved, because it would be saved for another
  ///   user.
  private func persist(in container: CKContainer, scope: CKDatabase.Scope, generation: Int?) {
    guard steps.withLock({ $0 == nil }), let operation = self as? any LongLivedOperation,
      let path = container.path.savedOperations, let saved = path.make(id: operationID)
    else { return }
    if let naming = container.path.knownNaming {
      saved.keep(userRecordName: naming.currentUserRecordName ?? "")
    }
    let account = container.path.connection?.accountDigest
    guard LongLivedArchive.save(operation, to: saved, scope: scope, account: account),
      container.path.connection?.generation == generation
    else {
      saved.forget()
      return
    }
    steps.withLock { $0 = LongLivedSteps(saved) }
    // NB: this check comes after the steps are set, because an earlier `cancel()` found no saved
    // operation to delete.
    if isCancelled { saved.forget() }
    report { [self] in sharedStarted.wasPersistedBlock?() }
  }

  /// Cancels the operation. A saved long-lived operation is deleted from disk.
  open override func cancel() {
    super.cancel()
    steps.withLock { $0 }?.saved.forget()
  }

  override final func prepareToConclude() {
    guard let steps = steps.withLock({ $0 }) else { return }
    if steps.isAnothers {
      // NB: the saved operation stays on disk without its lock, so that the user who owns it can
      // resume it. Only a cancelled operation is deleted, whoever owns it.
      if isCancelled { steps.saved.forget() }
      self.steps.withLock { $0 = nil }
      return
    }
    let saved = steps.saved
    saved.finish()
    // The saved operation is deleted after `completionBlock` has returned. If the operation was
    // cancelled, `cancel()` has already deleted it.
    let block = completionBlock
    completionBlock = {
      block?()
      saved.forget()
    }
  }
}

extension Connection.Options {
  init(
    _ configuration: CKOperation.Configuration.Explicit, operationID: String?,
    group: CKOperationGroup?
  ) {
    let resource = configuration.resourceTimeout
    var headers: [String: String] = [:]
    headers["X-Apple-Operation-ID"] = operationID
    headers["X-Apple-Operation-Group-ID"] = group?.operationGroupID
    let isPatient =
      switch configuration.qualityOfService ?? .default {
      case .utility, .background: true
      default: false
      }
    self.init(
      requestTimeoutSeconds: configuration.timeoutIntervalForRequest ?? 60,
      resourceTimeoutSeconds: resource < 0 ? nil : resource,
      patience: isPatient ? .long : .short,
      headers: headers)
  }
}
