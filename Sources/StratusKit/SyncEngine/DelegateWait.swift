import StratusTransport
import StratusWire
import Synchronization

// A delegate that awaits `fetchChanges` or `sendChanges` while the engine awaits the delegate is a
// deadlock. A call in the delegate's own task fails at once. For a call in any other task the
// engine cannot know whether the delegate awaits that task, so that call has a timeout.

/// One call of a delegate, from its beginning to its end.
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

  /// The unfinished call of this engine's delegate that started the running task; nil if there is
  /// none.
  static func goingOn(by driver: SyncDriver) -> DelegateCall? {
    guard let call = current, call.driver == ObjectIdentifier(driver), call.isGoingOn else {
      return nil
    }
    return call
  }

  /// Whether the current task is the one that runs the delegate's method, not a task that the
  /// method has started. The method may start a task that waits for the engine, if it does not wait
  /// for that task itself.
  var isOfThisTask: Bool { taskID != nil && taskID == Self.currentTaskID }

  private static var currentTaskID: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

extension SyncDriver {
  /// Starts the time-out of a waiter.
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

  /// The seconds for which a waiter may still wait, not above 0 if its time is over; nil: it no
  /// longer waits.
  ///
  /// The time is measured for a single call of the delegate, so no waiter times out while the
  /// delegate's calls keep returning. Callers that wait for the running job have twice the time. If
  /// the delegate waits for a call of its own, that call fails first, and the running job can then
  /// continue.
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
