import StratusDomain
import Synchronization

/// Drops, duplicates, holds or delays the notifications to a device.
///
/// A device sees its own notification numbers, which are twice the server's numbers. The odd
/// numbers belong to duplicates.
final class DevicePost: Sendable {
  /// NB: the store is needed, because each store assigns its own numbers.
  private struct Dropped: Hashable {
    let store: StoreAddress
    let number: Int64
  }

  private struct State {
    var toDrop = 0
    var toDuplicate = 0
    var toDelay = 0
    var delay = Duration.zero
    var isHolding = false
    var held: [@Sendable () -> Void] = []
    /// Notifications that never arrive, on any stream.
    var dropped: Set<Dropped> = []
  }

  private let clock: TestClock
  private let state = Mutex(State())

  init(clock: TestClock) { self.clock = clock }

  func drop(next count: Int) { state.withLock { $0.toDrop = count } }
  func duplicate(next count: Int) { state.withLock { $0.toDuplicate = count } }
  func hold() { state.withLock { $0.isHolding = true } }

  func delay(next count: Int, by duration: Duration) {
    state.withLock { ($0.toDelay, $0.delay) = (count, duration) }
  }

  func release() {
    let held = state.withLock { state in
      state.isHolding = false
      defer { state.held = [] }
      return state.held
    }
    for deliver in held { deliver() }
  }

  func clear() {
    state.withLock { ($0.toDrop, $0.toDuplicate, $0.toDelay) = (0, 0, 0) }
    release()
  }

  private enum Fate { case none, now, later(Duration) }

  /// Delivers a notification, unless a pending disturbance drops, holds or delays it.
  ///
  /// - Parameters:
  ///   - store: the store that queued the notification.
  ///   - deliver: receives the text of the event. It may be called later, twice, or never.
  func carry(
    _ notification: QueuedNotification, from store: StoreAddress,
    _ deliver: @escaping @Sendable ([UInt8]) -> Void
  ) {
    let number = notification.number
    let (fate, copies) = state.withLock { state -> (Fate, [Int64]) in
      let dropped = Dropped(store: store, number: number)
      if state.dropped.contains(dropped) { return (.none, []) }
      if Self.takeOne(&state.toDrop) {
        state.dropped.insert(dropped)
        return (.none, [])
      }
      let copies = Self.takeOne(&state.toDuplicate) ? [number * 2, number * 2 + 1] : [number * 2]
      if Self.takeOne(&state.toDelay) { return (.later(state.delay), copies) }
      guard state.isHolding else { return (.now, copies) }
      state.held.append {
        for copy in copies { deliver(Self.event(copy, notification)) }
      }
      return (.none, copies)
    }
    let send = { @Sendable in
      for copy in copies { deliver(Self.event(copy, notification)) }
    }
    switch fate {
    case .none: break
    case .now: send()
    case .later(let delay):
      Task { [clock] in
        if (try? await clock.sleep(for: delay)) != nil { send() }
      }
    }
  }

  private static func takeOne(_ count: inout Int) -> Bool {
    if count == 0 { return false }
    count -= 1
    return true
  }

  /// Returns a notification as a server-sent event.
  private static func event(_ number: Int64, _ notification: QueuedNotification) -> [UInt8] {
    Array("id: \(number)\nevent: notification\ndata: ".utf8) + notification.payloadText
      + Array("\n\n".utf8)
  }

  /// Returns the server's number for a device's notification number.
  static func serverNumber(_ number: Int64) -> Int64 { number / 2 }
}
