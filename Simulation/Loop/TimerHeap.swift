/// The pending timers, ordered by their times. Timers for the same time fire in the order in which
/// they were set.
struct TimerHeap {
  struct Timer {
    let time: Double
    let number: Int
    let action: () -> Void

    func comes(before other: Timer) -> Bool {
      time == other.time ? number < other.number : time < other.time
    }
  }

  private var timers: [Timer] = []
  private var count = 0

  mutating func insert(at time: Double, _ action: @escaping () -> Void) {
    count += 1
    timers.append(Timer(time: time, number: count, action: action))
    var child = timers.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard timers[child].comes(before: timers[parent]) else { return }
      timers.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the next timer.
  mutating func next() -> Timer? {
    guard let first = timers.first else { return nil }
    let last = timers.removeLast()
    if timers.isEmpty { return first }
    timers[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count {
        if timers[child].comes(before: timers[least]) { least = child }
      }
      if least == parent { return first }
      timers.swapAt(parent, least)
      parent = least
    }
  }
}
