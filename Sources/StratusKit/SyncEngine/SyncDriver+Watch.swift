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
  /// Seconds that who waits for what is being done is told so after all others, and after another
  /// ``sameCallSecondsMax`` if others keep coming: mostly it is the app, whose wait began all, and
  /// goes on once another's has ended.
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
      self?.tell(id)
    }
  }

  /// NB: who has called off what was being done gets no error, and need not: it is called off.
  private func tell(_ id: Int) {
    let onlooker = core.withLock { core -> Onlooker? in
      guard let place = core.onlookers.firstIndex(where: { $0.id == id }) else { return nil }
      return core.onlookers.remove(at: place)
    }
    if let onlooker { return onlooker.continuation.resume() }
    dismiss(id, CKError.awaitedInDelegate)
  }

  /// How long somebody may wait yet, whatever begins in the meantime.
  ///
  /// - Returns: nil: they wait no more.
  private func secondsLeft(to id: Int, since began: Double) -> Double? {
    let now = now
    return core.withLock { core in
      guard core.isWaiting(id) else { return nil }
      // NB: a call that begins later lasts so long later.
      guard let call = core.call, call.isGoingOn else { return Self.sameCallSecondsMax }
      let own = max(call.began, began) + Self.sameCallSecondsMax
      let others = core.othersBegan
      if others.contains(where: { $0.id == id }) { return own - now }
      let last = others.map { max(call.began, $0.began) + Self.sameCallSecondsMax }.max()
      let limit = min(max(own, last ?? own), own + Self.sameCallSecondsMax)
      return limit + Self.currentJobSeconds - now
    }
  }
}

extension SyncDriver.Core {
  fileprivate func isWaiting(_ id: Int) -> Bool {
    waiters.contains { $0.id == id } || onlookers.contains { $0.id == id }
  }

  /// When those began to wait who do not wait for the result of what is being done.
  fileprivate var othersBegan: [(id: Int, began: Double)] {
    waiters.filter { $0.jobID != job?.id }.map { ($0.id, $0.began) }
      + onlookers.map { ($0.id, $0.began) }
  }
}
