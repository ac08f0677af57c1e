import StratusTransport
import StratusWire
import Synchronization

// If a delegate awaits `fetchChanges` or `sendChanges` while the engine awaits the delegate, there
// is a deadlock. A call in the delegate's own task therefore fails at once. For a call in any other
// task, the engine cannot know whether the delegate awaits that task, so that call has a timeout.

/// One call of a delegate, from its beginning to its end.
final class DelegateCall: Sendable {
  @TaskLocal static var current: DelegateCall?

  /// The time at which the call began, in seconds on the engine's clock.
  let began: Double
  private let driver: ObjectIdentifier
  private let taskID: Int?
  private let hasEnded = Mutex(false)

  /// Describes a call that the current task is about to make.
  init(by driver: SyncDriver) {
    began = driver.now
    self.driver = ObjectIdentifier(driver)
    taskID = Self.currentTaskID
  }

  func end() { hasEnded.withLock { $0 = true } }

  var isGoingOn: Bool { hasEnded.withLock { !$0 } }

  /// The unfinished call of this engine's delegate that runs in the current task, or that started
  /// the current task; nil if there is none.
  static func goingOn(by driver: SyncDriver) -> DelegateCall? {
    guard let call = current, call.driver == ObjectIdentifier(driver), call.isGoingOn else {
      return nil
    }
    return call
  }

  /// Whether the current task runs the delegate's method, and is not a task that the method has
  /// started. The method may start a task that waits for the engine, if the method does not wait
  /// for that task.
  var isOfThisTask: Bool { taskID != nil && taskID == Self.currentTaskID }

  private static var currentTaskID: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

extension SyncDriver {
  /// Starts the timeout of a caller that waits for a job.
  func startTimeout(of id: Int) {
    let (began, timing) = (now, surroundings.timing)
    let timeout = surroundings.spawn { [weak self] in
      var seconds = Limits.delegateWaitSecondsMax
      while seconds > 0 {
        do { try await timing.watch(seconds) } catch { return }
        guard let left = self?.secondsLeft(to: id, since: began) else { return }
        seconds = left
      }
      self?.dismiss(id, CKError.delegateTimedOut)
    }
    let hasWaiter = core.withLock { core in
      guard let index = core.waiters.firstIndex(where: { $0.id == id }) else { return false }
      core.waiters[index].timeout = timeout
      return true
    }
    if !hasWaiter { timeout.cancel() }
  }

  /// Returns the number of seconds for which a caller may still wait. The number is 0 or less if
  /// the caller's time is over, and nil if the caller no longer waits.
  ///
  /// The time is measured for a single call of the delegate, so no caller times out while the
  /// delegate's methods keep returning. Callers that wait for the running job have twice the time.
  /// If the delegate waits for a call of its own, that call fails first, and the running job can
  /// then continue.
  private func secondsLeft(to id: Int, since began: Double) -> Double? {
    let now = now
    return core.withLock { core in
      guard let waiter = core.waiters.first(where: { $0.id == id }) else { return nil }
      guard let call = core.call, call.isGoingOn else { return Limits.delegateWaitSecondsMax }
      let isCaller = waiter.jobID == core.job?.id && !waiter.isObserver
      let seconds = Limits.delegateWaitSecondsMax * (isCaller ? 2 : 1)
      return max(call.began, began) + seconds - now
    }
  }
}
