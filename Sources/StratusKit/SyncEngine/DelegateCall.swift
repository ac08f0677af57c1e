import Synchronization

/// One call of a delegate, from its beginning to its end.
///
/// Tells who awaits the engine while the engine awaits the delegate, which would be for ever.
final class DelegateCall: Sendable {
  @TaskLocal static var current: DelegateCall?

  /// Seconds on the engine's clock.
  let began: Double
  private let driver: ObjectIdentifier
  private let taskID: Int?
  private let hasEnded = Mutex(false)

  /// A call that the running task is about to make.
  init(by driver: SyncDriver) {
    began = driver.now
    self.driver = ObjectIdentifier(driver)
    taskID = Self.currentTaskID
  }

  func end() { hasEnded.withLock { $0 = true } }

  var isGoingOn: Bool { hasEnded.withLock { !$0 } }

  /// The call of this engine's delegate that the running task comes from; nil: none that goes on.
  static func goingOn(by driver: SyncDriver) -> DelegateCall? {
    guard let call = current, call.driver == ObjectIdentifier(driver), call.isGoingOn else {
      return nil
    }
    return call
  }

  /// Whether the running task is the one that makes the call, and not one that the delegate
  /// started: such a one may wait, if the delegate does not wait for it.
  var isOfThisTask: Bool { taskID != nil && taskID == Self.currentTaskID }

  private static var currentTaskID: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
