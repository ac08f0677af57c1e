import StratusTransport
import Synchronization

/// Who waits for the engine while the delegate waits for them would wait for ever, and is told so.
///
/// Tasks that a delegate waits for look like those it does not wait for, and those that do not come
/// from it like anybody's; what takes too long is taken for the former.
extension SyncDriver {
  /// Seconds after which who waits in a task that comes from the delegate, while it is called, is
  /// told so.
  static let delegateSecondsMax = 60.0
  /// Seconds after which who has waited in any other task during one and the same call of the
  /// delegate is told so.
  static let sameCallSecondsMax = 600.0
  /// Seconds that who waits for what is being done is told so after the others: mostly it is the
  /// app, whose wait began all, and goes on once another's has ended.
  static let currentJobSeconds = 60.0

  /// Watches over a wait that begins now, until it is cancelled.
  ///
  /// - Parameter call: the call of the delegate that the waiting task comes from.
  func watch(over id: Int, from call: DelegateCall?) -> Task<Void, Never> {
    let (began, timing) = (now, surroundings.timing)
    return surroundings.spawn { [weak self] in
      var seconds = call == nil ? Self.sameCallSecondsMax : Self.delegateSecondsMax
      while seconds > 0 {
        do { try await timing.watch(seconds) } catch { return }
        if call?.isGoingOn == true { break }
        guard let left = self?.secondsLeft(to: id, since: began) else { return }
        seconds = left
      }
      self?.dismiss(id, CKError.awaitedInDelegate)
    }
  }

  /// How long somebody may wait yet, whatever begins in the meantime.
  ///
  /// - Returns: nil: they wait no more.
  private func secondsLeft(to id: Int, since began: Double) -> Double? {
    let now = now
    return core.withLock { core in
      guard let waiter = core.waiters.first(where: { $0.id == id }) else { return nil }
      // NB: a call that begins later lasts so long later.
      guard let call = core.call, call.isGoingOn else { return Self.sameCallSecondsMax }
      let isCurrent = core.job?.id == waiter.jobID
      let limit = Self.sameCallSecondsMax + (isCurrent ? Self.currentJobSeconds : 0)
      return max(call.began, began) + limit - now
    }
  }
}
