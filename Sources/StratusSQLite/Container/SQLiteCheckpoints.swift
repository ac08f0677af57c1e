/// Copies most pages of the write-ahead log into the file, in parallel with the writer, when
/// ``CheckpointPlan`` says so.
final class SQLiteCheckpoints {
  private let path: String
  private var copier: LogCopier?
  private var plan = CheckpointPlan()

  init(path: String) { self.path = path }

  /// Whether the caller should now call ``copy(whenDone:)``.
  ///
  /// - Parameter mustShrink: see ``SQLiteConnection/mustShrink``.
  func isDue(pagesInLog: Int, mustShrink: Bool) -> Bool {
    plan.begin(pagesInLog: pagesInLog, mustShrink: mustShrink)
  }

  /// Copies the existing pages while writes continue.
  ///
  /// - Parameter whenDone: is called on another thread. It makes the writer call
  ///   ``next(pagesInLog:mustShrink:)``.
  func copy(whenDone: @escaping @Sendable () -> Void) {
    if copier == nil { copier = try? LogCopier(path: path) }
    guard let copier else { return whenDone() }
    copier.copy(whenDone)
  }

  /// Returns what follows a copy.
  func next(pagesInLog: Int, mustShrink: Bool) -> CheckpointPlan.Next {
    plan.next(pagesInLog: pagesInLog, mustShrink: mustShrink)
  }

  /// Notes that the writer has copied the newest pages.
  func finish(pagesInLog: Int) { plan.finish(pagesInLog: pagesInLog) }

  /// Waits until a copy in progress has ended.
  func close() {
    copier?.close()
    copier = nil
  }
}
