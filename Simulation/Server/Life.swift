/// The life of one process that can crash: a server, or an app on a device.
///
/// A crash cannot stop Swift's tasks, so it cuts them off: whatever they ask for from now on fails,
/// and nobody listens to them.
///
/// NB: unchecked; the loop has one thread.
final class Life: @unchecked Sendable {
  private(set) var isOver = false
  /// How many more times something is awaited before it is over; nil: it stays.
  var awaitsLeft: Int?
  private var endings: [() -> Void] = []

  /// Comes by at each await.
  ///
  /// - Returns: whether life goes on.
  func goesOn() -> Bool {
    if isOver { return false }
    guard let left = awaitsLeft else { return true }
    awaitsLeft = left - 1
    if left > 0 { return true }
    end()
    return false
  }

  /// Ends it, once.
  func end() {
    if isOver { return }
    isOver = true
    let all = endings
    endings = []
    for ending in all { ending() }
  }

  /// Has something done when it ends; at once, if it is over.
  func atEnd(_ action: @escaping () -> Void) {
    if isOver { action() } else { endings.append(action) }
  }
}
