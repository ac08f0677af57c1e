import GRDB

/// Decides when to copy the write-ahead log into the file, and copies most of it in parallel with
/// the writer.
///
/// SQLite restarts the log only after all of its pages have been copied. While a writer is busy, a
/// parallel checkpoint never copies all of them. A checkpoint therefore has two steps. First, a
/// second connection copies the existing pages while writes continue. Then the writer copies the
/// few newer pages between two transactions.
final class SQLiteCheckpoints {
  private let path: String
  private var queue: DatabaseQueue?
  private var isRunning = false
  private var pagesBefore = 0
  private var pagesCopied = 0

  init(path: String) { self.path = path }

  /// Whether the caller should now call ``start(whenCopied:)``.
  ///
  /// - Parameter mustShrink: see ``SQLiteConnection/mustShrink``.
  func isDue(pagesInLog: Int, mustShrink: Bool) -> Bool {
    // If the log is smaller than before, SQLite has restarted it.
    if pagesInLog < pagesBefore { pagesCopied = 0 }
    pagesBefore = pagesInLog
    if isRunning { return false }
    return mustShrink || pagesInLog - pagesCopied >= SQLiteSettings.checkpointPages
  }

  /// Starts the first step of a checkpoint.
  ///
  /// - Parameter whenCopied: is called on another thread. It makes the writer run the second step.
  func start(whenCopied: @escaping @Sendable () -> Void) {
    isRunning = true
    if queue == nil {
      queue = try? DatabaseQueue(path: path, configuration: SQLiteSettings.checkpointer)
    }
    guard let queue else { return whenCopied() }
    queue.asyncWriteWithoutTransaction { database in
      // Pages that cannot be copied here are copied by the second step or by the next checkpoint.
      _ = try? database.checkpoint(.passive)
      whenCopied()
    }
  }

  /// Ends the checkpoint after its second step.
  func ended() {
    isRunning = false
    pagesCopied = pagesBefore
  }

  /// Waits until the first step has ended.
  func close() {
    try? queue?.close()
    queue = nil
  }
}
