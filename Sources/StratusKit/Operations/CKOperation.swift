public import Foundation
import StratusTransport
import Synchronization

/// A piece of work for the server that runs by itself and reports through its blocks.
///
/// The blocks of an operation run one at a time on a queue of its own, never on the main queue:
/// first those of single items, then the final one, exactly once, and after it `completionBlock`.
///
/// An operation runs once. It takes its properties when it starts; those that are set later have no
/// effect on it. The contents of the records it saves are taken when their request is prepared.
open class CKOperation: Operation, @unchecked Sendable {
  /// Names an operation.
  public typealias ID = String

  private enum Phase { case ready, executing, finished }

  private struct Life {
    var phase = Phase.ready
    var hasBegun = false
    var isConcluded = false
    var task: Task<Void, Never>?
  }

  /// Names this operation in the server's log, and among those that outlast the process.
  public internal(set) var operationID: ID

  private let life = Mutex(Life())
  private let callbackQueue = DispatchQueue(label: "stratus.operation.callbacks")
  private let shared = PropertyBox(SharedProperties())
  /// A test's substitute for `CKContainer.default()` where the operation was made; nil: none.
  private let defaultContainer: CKContainer?

  public override init() {
    operationID = Live.newID()
    defaultContainer = CKContainer.substitute
    super.init()
  }

  /// What is particular to this operation; copied when set, and reset by nil.
  open var configuration: Configuration! {
    get { shared[\.configuration] }
    set { shared[\.configuration] = newValue?.duplicate() ?? Configuration() }
  }

  private var ownConfiguration: Configuration { shared[\.configuration] }

  /// Of the configured container or database the operation was added to.
  var inherited: Configuration.Explicit {
    get { shared[\.inherited] }
    set { shared[\.inherited] = newValue }
  }

  /// The group the operation belongs to.
  open var group: CKOperationGroup? {
    get { shared[\.group] }
    set { shared[\.group] = newValue }
  }

  /// The container the operation runs in; nil: `CKContainer.default()`.
  open var container: CKContainer? {
    get { ownConfiguration.container }
    set { ownConfiguration.container = newValue }
  }

  /// Of an operation on a database; nil: the private one of its container.
  final var givenDatabase: CKDatabase? {
    get { shared[\.database] }
    set { shared[\.database] = newValue }
  }

  /// How urgent the operation is; that of its configuration.
  open override var qualityOfService: QualityOfService {
    get { ownConfiguration.qualityOfService }
    set { ownConfiguration.qualityOfService = newValue }
  }

  /// Deprecated by Apple for the property of the configuration, which it is.
  open var isLongLived: Bool {
    get { ownConfiguration.isLongLived }
    set { ownConfiguration.isLongLived = newValue }
  }

  /// Called once a long-lived operation is on disk, before its first request: from then on it
  /// outlasts the process.
  ///
  /// Choice: not called again for an operation that a later process goes on with.
  open var longLivedOperationWasPersistedBlock: (() -> Void)? {
    get { shared[\.wasPersistedBlock] }
    set { shared[\.wasPersistedBlock] = newValue }
  }

  /// Deprecated by Apple for the property of the configuration, which it is.
  open var allowsCellularAccess: Bool {
    get { ownConfiguration.allowsCellularAccess }
    set { ownConfiguration.allowsCellularAccess = newValue }
  }

  /// Deprecated by Apple for the property of the configuration, which it is. Seconds.
  open var timeoutIntervalForRequest: TimeInterval {
    get { ownConfiguration.timeoutIntervalForRequest }
    set { ownConfiguration.timeoutIntervalForRequest = newValue }
  }

  /// Deprecated by Apple for the property of the configuration, which it is. Seconds.
  open var timeoutIntervalForResource: TimeInterval {
    get { ownConfiguration.timeoutIntervalForResource }
    set { ownConfiguration.timeoutIntervalForResource = newValue }
  }

  /// The properties of every operation, as this one started with them.
  final var sharedStarted: SharedProperties { shared.started }

  /// The operation's own settings, completed by those of the configured object that it was added
  /// to, and then by those of its group.
  final var resolved: Configuration.Explicit { shared.started.resolved }

  /// Where the operation runs.
  final var startedContainer: CKContainer {
    let started = shared.started
    return started.database?.container ?? started.resolved.container ?? defaultContainer
      ?? CKContainer.default()
  }

  // The work, by subclasses.

  /// The properties of the operation's own class; nil: it has none.
  var ownProperties: (any StartedOnce)? { nil }

  /// Does the work of an operation that runs on a container rather than on a database; called once.
  func perform(in container: ContainerCalls) async throws(CKError) {}

  /// Does the work, off the callback queue; called once.
  func perform() async throws(CKError) {
    let started = shared.started
    try await perform(
      in: ContainerCalls(
        path: startedContainer.path,
        options: .init(started.resolved, operationID: operationID, group: started.group)))
  }

  /// Calls the final block, on the callback queue; called once, and last.
  func conclude(with failure: CKError?) {}

  /// The work is over, and the final block is about to be called; on the callback queue, once.
  func prepareToConclude() {}

  /// Runs a block of the app's on the callback queue, unless the final one has been called.
  final func report(_ body: @escaping @Sendable () -> Void) {
    life.withLock { life in
      // Queued under the lock, so that nothing comes after the final block.
      if !life.isConcluded { callbackQueue.async(execute: body) }
    }
  }

  // Operation's own life.

  open override var isAsynchronous: Bool { true }
  open override var isExecuting: Bool { life.withLock { $0.phase == .executing } }
  open override var isFinished: Bool { life.withLock { $0.phase == .finished } }

  /// Begins the work; called by the queue the operation is in.
  open override func start() {
    guard move(from: .ready, to: .executing) else { return }
    if isCancelled {
      end(with: CKError(.operationCancelled))
      return
    }
    main()
  }

  /// Sets the work going and returns; called once, by `start()`.
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

  /// Ends the operation with `CKError.operationCancelled`, unless it has ended.
  ///
  /// What the server has already been asked to do may be done all the same.
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
    /// Of the configured container or database the operation was added to.
    var inherited = Configuration.Explicit()
    var group: CKOperationGroup?
    var database: CKDatabase?
    var wasPersistedBlock: (() -> Void)?

    /// The operation's own settings, completed by those of the configured object that it was added
    /// to, and then by those of its group.
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
