/// Decides when to copy the write-ahead log into the file, and copies most of it in parallel with
/// the writer.
///
/// SQLite restarts the log only after all of its pages have been copied. While a writer is busy, a
/// parallel checkpoint never copies all of them. A checkpoint therefore has two steps. First, a
/// second connection copies the existing pages while writes continue. Then the writer copies the
/// few newer pages between two transactions.
final class SQLiteCheckpoints {
  private let path: String
  private var copier: LogCopier?
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
    if copier == nil { copier = try? LogCopier(path: path) }
    guard let copier else { return whenCopied() }
    copier.copy(whenCopied)
  }

  /// Ends the checkpoint after its second step.
  func ended() {
    isRunning = false
    pagesCopied = pagesBefore
  }

  /// Waits until the first step has ended.
  func close() {
    copier?.close()
    copier = nil
  }
}
