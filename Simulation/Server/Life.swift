/// The life of a process that can crash. The process is a server, or an app on a device.
///
/// A crash cannot stop Swift's tasks, so the process is isolated instead: all its later calls fail,
/// and its answers reach no caller.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class Life: @unchecked Sendable {
  private(set) var isOver = false
  /// The number of `await` calls until the crash, or nil if no crash is planned.
  var awaitsLeft: Int?
  private var endings: [() -> Void] = []

  /// Counts an `await` call. If the crash is planned for this call, the process ends.
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

  /// Ends the process. Further calls do nothing.
  func end() {
    if isOver { return }
    isOver = true
    let all = endings
    endings = []
    for ending in all { ending() }
  }

  /// Runs an action when the process ends, or at once if the process has already ended.
  func atEnd(_ action: @escaping () -> Void) {
    if isOver { action() } else { endings.append(action) }
  }
}
