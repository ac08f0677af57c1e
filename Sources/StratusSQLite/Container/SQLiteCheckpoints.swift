import GRDB

/// Decides when the write-ahead log is copied into the file, and does most of it beside the writer.
///
/// The log starts anew only when all of it has been copied, which a checkpoint beside a busy writer
/// never achieves by itself. So it goes in two steps: a second connection copies what there is,
/// while writes go on; then the writer copies the little that came in the meantime, between two
/// transactions.
///
/// Used by the writer's thread only.
final class SQLiteCheckpoints {
  private let path: String
  private var queue: DatabaseQueue?
  private var isRunning = false
  private var pagesBefore = 0
  private var pagesCopied = 0

  init(path: String) { self.path = path }

  /// Whether it is time to ``start(whenCopied:)``.
  func isDue(pagesInLog: Int) -> Bool {
    // The log has started anew.
    if pagesInLog < pagesBefore { pagesCopied = 0 }
    pagesBefore = pagesInLog
    return !isRunning && pagesInLog - pagesCopied >= SQLiteSettings.checkpointPages
  }

  /// Takes the first step.
  ///
  /// - Parameter whenCopied: called on another thread; has the writer take the second.
  func start(whenCopied: @escaping @Sendable () -> Void) {
    isRunning = true
    if queue == nil {
      queue = try? DatabaseQueue(path: path, configuration: SQLiteSettings.checkpointer)
    }
    guard let queue else { return whenCopied() }
    queue.asyncWriteWithoutTransaction { database in
      // What it fails to copy is left for the second step, or the next time.
      _ = try? database.checkpoint(.passive)
      whenCopied()
    }
  }

  /// Notes that the second step is done.
  func ended() {
    isRunning = false
    pagesCopied = pagesBefore
  }

  /// Waits for the first step to end.
  func close() {
    try? queue?.close()
    queue = nil
  }
}
