import GRDB

/// Decides when to copy the write-ahead log into the file, and does most of the copying in parallel
/// with the writer.
///
/// SQLite restarts the log only after all of its pages were copied. While a writer is busy, a
/// parallel checkpoint alone never achieves that. A checkpoint therefore has two steps: First, a
/// second connection copies the existing pages while writes continue. Then the writer copies the
/// few newer pages between two transactions.
final class SQLiteCheckpoints {
  private let path: String
  private var queue: DatabaseQueue?
  private var isRunning = false
  private var pagesBefore = 0
  private var pagesCopied = 0

  init(path: String) { self.path = path }

  /// Whether the caller should call ``start(whenCopied:)``.
  ///
  /// - Parameter mustShrink: see ``SQLiteConnection/mustShrink``.
  func isDue(pagesInLog: Int, mustShrink: Bool) -> Bool {
    // A smaller log means that SQLite has restarted it.
    if pagesInLog < pagesBefore { pagesCopied = 0 }
    pagesBefore = pagesInLog
    if isRunning { return false }
    return mustShrink || pagesInLog - pagesCopied >= SQLiteSettings.checkpointPages
  }

  /// Starts the first step.
  ///
  /// - Parameter whenCopied: called on another thread. It makes the writer run the second step.
  func start(whenCopied: @escaping @Sendable () -> Void) {
    isRunning = true
    if queue == nil {
      queue = try? DatabaseQueue(path: path, configuration: SQLiteSettings.checkpointer)
    }
    guard let queue else { return whenCopied() }
    queue.asyncWriteWithoutTransaction { database in
      // If some pages cannot be copied here, the second step or the next checkpoint copies them.
      _ = try? database.checkpoint(.passive)
      whenCopied()
    }
  }

  /// Records that the second step is finished.
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
