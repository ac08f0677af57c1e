public import Foundation
import StratusTransport
import Synchronization

/// An asynchronous task that sends requests to the server, and reports its results through blocks.
///
/// The blocks of an operation run one at a time on the operation's own queue, never on the main
/// queue. The blocks for single items run first. The final block runs exactly once, and
/// `completionBlock` follows it.
///
/// An operation runs once. It reads its properties when it starts, and later changes of the
/// properties have no effect. The contents of the records to save are read later, when the
/// operation prepares their request.
open class CKOperation: Operation, @unchecked Sendable {
  /// The ID of an operation.
  public typealias ID = String

  private enum Phase { case ready, executing, finished }

  private struct Life {
    var phase = Phase.ready
    var hasBegun = false
    var isConcluded = false
    var task: Task<Void, Never>?
  }

  /// Identifies this operation in the server's log and among the saved long-lived operations.
  public internal(set) var operationID: ID

  private let life = Mutex(Life())
  private let callbackQueue = DispatchQueue(label: "stratus.operation.callbacks")
  private let shared = PropertyBox(SharedProperties())
  /// The container that a test used instead of `CKContainer.default()` when the operation was made;
  /// nil if there was none.
  private let defaultContainer: CKContainer?

  /// Makes an operation.
  public override init() {
    operationID = Live.newID()
    defaultContainer = CKContainer.substitute
    super.init()
  }

  /// The operation's own settings. The property stores a copy of the value that an app assigns. The
  /// value nil resets the settings.
  open var configuration: Configuration! {
    get { shared[\.configuration] }
    set { shared[\.configuration] = newValue?.duplicate() ?? Configuration() }
  }

  private var ownConfiguration: Configuration { shared[\.configuration] }

  /// The settings of the container or database that the operation was added to. The settings are
  /// empty unless that container or database was made by `configuredWith`.
  var inherited: Configuration.Explicit {
    get { shared[\.inherited] }
    set { shared[\.inherited] = newValue }
  }

  /// The group to which the operation belongs; nil, the default, if there is none.
  open var group: CKOperationGroup? {
    get { shared[\.group] }
    set { shared[\.group] = newValue }
  }

  /// The container in which the operation runs; nil means `CKContainer.default()`.
  open var container: CKContainer? {
    get { ownConfiguration.container }
    set { ownConfiguration.container = newValue }
  }

  /// The database of a database operation; nil means the private database of the operation's
  /// container.
  final var givenDatabase: CKDatabase? {
    get { shared[\.database] }
    set { shared[\.database] = newValue }
  }

  /// The priority of the operation, from its configuration.
  open override var qualityOfService: QualityOfService {
    get { ownConfiguration.qualityOfService }
    set { ownConfiguration.qualityOfService = newValue }
  }

  /// Whether the operation is long-lived. Apple has deprecated this property, which reads and sets
  /// `configuration.isLongLived`.
  open var isLongLived: Bool {
    get { ownConfiguration.isLongLived }
    set { ownConfiguration.isLongLived = newValue }
  }

  /// Called when a long-lived operation is on disk, before its first request. From then on the
  /// operation outlasts the process.
  ///
  /// Choice: the block is not called again when a later process resumes the operation.
  open var longLivedOperationWasPersistedBlock: (() -> Void)? {
    get { shared[\.wasPersistedBlock] }
    set { shared[\.wasPersistedBlock] = newValue }
  }

  /// Whether cellular networks may be used. Apple has deprecated this property, which reads and
  /// sets `configuration.allowsCellularAccess`.
  open var allowsCellularAccess: Bool {
    get { ownConfiguration.allowsCellularAccess }
    set { ownConfiguration.allowsCellularAccess = newValue }
  }

  /// The request timeout in seconds. Apple has deprecated this property, which reads and sets
  /// `configuration.timeoutIntervalForRequest`.
  open var timeoutIntervalForRequest: TimeInterval {
    get { ownConfiguration.timeoutIntervalForRequest }
    set { ownConfiguration.timeoutIntervalForRequest = newValue }
  }

  /// The resource timeout in seconds. Apple has deprecated this property, which reads and sets
  /// `configuration.timeoutIntervalForResource`.
  open var timeoutIntervalForResource: TimeInterval {
    get { ownConfiguration.timeoutIntervalForResource }
    set { ownConfiguration.timeoutIntervalForResource = newValue }
  }

  /// The common properties, as they were when the operation started.
  final var sharedStarted: SharedProperties { shared.started }

  /// The operation's own settings. Missing values come from the container or database that the
  /// operation was added to, if `configuredWith` made that object, or else from the operation's
  /// group.
  final var resolved: Configuration.Explicit { shared.started.resolved }

  /// The container in which the operation runs.
  final var startedContainer: CKContainer {
    let started = shared.started
    return started.database?.container ?? started.resolved.container ?? defaultContainer
      ?? CKContainer.default()
  }

  // Overridden by subclasses.

  /// The properties of the operation's own class; nil if it has none.
  var ownProperties: (any StartedOnce)? { nil }

  /// Performs an operation that runs in a container and not on a database. The method is called
  /// once.
  func perform(in container: ContainerCalls) async throws(CKError) {}

  /// Performs the operation outside the callback queue. The method is called once.
  func perform() async throws(CKError) {
    let started = shared.started
    try await perform(
      in: ContainerCalls(
        path: startedContainer.path,
        options: .init(started.resolved, operationID: operationID, group: started.group)))
  }

  /// Calls the final block. The method is called once on the callback queue, as the last step.
  func conclude(with failure: CKError?) {}

  /// Called once on the callback queue, after `perform()` and before the final block.
  func prepareToConclude() {}

  /// Runs one of the app's blocks on the callback queue, unless the operation has ended.
  final func report(_ body: @escaping @Sendable () -> Void) {
    life.withLock { life in
      // The block is queued under the lock, so that no block follows the final one.
      if !life.isConcluded { callbackQueue.async(execute: body) }
    }
  }

  // Overrides of `Operation`.

  open override var isAsynchronous: Bool { true }
  open override var isExecuting: Bool { life.withLock { $0.phase == .executing } }
  open override var isFinished: Bool { life.withLock { $0.phase == .finished } }

  /// Starts the operation. The operation's queue calls this method.
  open override func start() {
    guard move(from: .ready, to: .executing) else { return }
    if isCancelled {
      end(with: CKError(.operationCancelled))
      return
    }
    main()
  }

  /// Starts the work asynchronously and returns. `start()` calls this method once.
  ///
  /// A subclass may prepare the operation here before it calls `super`.
  open override func main() {
    let isDue = life.withLock { life in
      defer { life.hasBegun = true }
      return life.phase == .executing && !life.hasBegun
    }
    guard isDue else { return }
    takeProperties()
    let task = Task { [self] in
      do throws(CKError) {
        try await perform()
        end(with: nil)
      } catch {
        end(with: error)
      }
    }
    let isOver = life.withLock { life in
      if life.isConcluded { return true }
      life.task = task
      return false
    }
    if isOver { task.cancel() }
  }

  /// Ends the operation with `CKError.operationCancelled`, unless it has already ended.
  ///
  /// The server may still carry out requests that were already sent.
  open override func cancel() {
    super.cancel()
    if isExecuting { end(with: CKError(.operationCancelled)) }
  }

  private func takeProperties() {
    shared.take()
    ownProperties?.take()
  }

  private func end(with failure: CKError?) {
    takeProperties()
    let task: Task<Void, Never>? = life.withLock { life in
      if life.isConcluded { return nil }
      life.isConcluded = true
      callbackQueue.async { [self] in
        prepareToConclude()
        conclude(with: failure)
        ownProperties?.releaseBlocks()
        shared.releaseBlocks()
        _ = move(from: .executing, to: .finished)
      }
      defer { life.task = nil }
      return life.task
    }
    if failure?.code == .operationCancelled { task?.cancel() }
  }

  private func move(from old: Phase, to new: Phase) -> Bool {
    let key = new == .finished ? "isFinished" : "isExecuting"
    willChangeValue(forKey: key)
    if new == .finished { willChangeValue(forKey: "isExecuting") }
    let hasMoved = life.withLock { life in
      guard life.phase == old else { return false }
      life.phase = new
      return true
    }
    if new == .finished { didChangeValue(forKey: "isExecuting") }
    didChangeValue(forKey: key)
    return hasMoved
  }
}

extension CKOperation {
  /// The properties that every operation has.
  struct SharedProperties: OperationProperties {
    var configuration = Configuration()
    /// The settings of the container or database that the operation was added to. The settings are
    /// empty unless that container or database was made by `configuredWith`.
    var inherited = Configuration.Explicit()
    var group: CKOperationGroup?
    var database: CKDatabase?
    var wasPersistedBlock: (() -> Void)?

    /// The operation's own settings. Missing values come from the container or database that the
    /// operation was added to, if `configuredWith` made that object, or else from the operation's
    /// group.
    var resolved: Configuration.Explicit {
      let own = configuration.explicit.completed(by: inherited)
      guard let group else { return own }
      return own.completed(by: group.defaultConfiguration.explicit)
    }

    mutating func detach() {
      configuration = configuration.duplicate()
      group = group?.copy() as? CKOperationGroup
    }

    mutating func releaseBlocks() { wasPersistedBlock = nil }
  }
}
