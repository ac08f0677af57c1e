/// The life of one process that can crash: a server, or an app on a device.
///
/// A crash cannot stop Swift's tasks, so it cuts them off: every later call of the process fails,
/// and its answers reach no caller.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class Life: @unchecked Sendable {
  private(set) var isOver = false
  /// The number of awaits until the crash; nil: no crash is planned.
  var awaitsLeft: Int?
  private var endings: [() -> Void] = []

  /// Counts one await, and crashes at the planned one.
  ///
  /// - Returns: whether the process is still alive.
  func goesOn() -> Bool {
    if isOver { return false }
    guard let left = awaitsLeft else { return true }
    awaitsLeft = left - 1
    if left > 0 { return true }
    end()
    return false
  }

  /// Ends the process, once.
  func end() {
    if isOver { return }
    isOver = true
    let all = endings
    endings = []
    for ending in all { ending() }
  }

  /// Runs an action when the process ends; at once if it has ended.
  func atEnd(_ action: @escaping () -> Void) {
    if isOver { action() } else { endings.append(action) }
  }
}
