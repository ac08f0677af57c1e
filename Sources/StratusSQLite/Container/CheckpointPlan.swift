/// Decides when the write-ahead log is copied into the file.
///
/// Most pages are copied in parallel with the writer, in small portions: while a large portion is
/// flushed, the disk is slow for the commits of the writer. SQLite begins the log again at its
/// start only after all of its pages have been copied. While a writer is busy, a parallel copy
/// never copies all of them. When the log is long, the writer therefore copies the last few pages
/// between two transactions.
struct CheckpointPlan {
  /// The step after a parallel copy.
  enum Next {
    /// Another parallel copy. Too many pages were written during the last one.
    case copy
    /// The writer copies the newest pages, and calls ``CheckpointPlan/finish(pagesInLog:)``.
    case finish
    /// Nothing, until enough pages have been written.
    case rest
  }

  private var isCopying = false
  /// The number of pages in the log after the last commit.
  private var pagesSeen = 0
  private var pagesCopied = 0
  /// The number of pages in the log when the last parallel copy began.
  private var pagesAtStart = 0
  /// The number of pages in the log when the writer last copied pages. If a reader still used the
  /// log at that time, the log has not begun again.
  private var pagesFinished = 0
  private var copiesLeft = 0

  /// Notes a commit.
  ///
  /// - Parameters:
  ///   - pagesInLog: the number of pages in the log.
  ///   - mustShrink: see ``SQLiteConnection/mustShrink``.
  /// - Returns: whether a parallel copy begins now.
  mutating func begin(pagesInLog: Int, mustShrink: Bool) -> Bool {
    // If the log is smaller than before, SQLite has restarted it.
    if pagesInLog < pagesSeen { (pagesCopied, pagesAtStart, pagesFinished) = (0, 0, 0) }
    pagesSeen = pagesInLog
    if isCopying { return false }
    guard mustShrink || pagesInLog - pagesCopied >= SQLiteSettings.pagesPerCopy else {
      return false
    }
    isCopying = true
    pagesAtStart = pagesInLog
    copiesLeft = SQLiteSettings.repeatedCopiesMax
    return true
  }

  /// Notes the end of a parallel copy.
  mutating func next(pagesInLog: Int, mustShrink: Bool) -> Next {
    pagesCopied = pagesAtStart
    if !mustShrink, pagesInLog - pagesFinished < SQLiteSettings.checkpointPages {
      isCopying = false
      return .rest
    }
    if copiesLeft > 0, pagesInLog - pagesCopied > SQLiteSettings.pagesCopiedByWriterMax {
      copiesLeft -= 1
      pagesAtStart = pagesInLog
      return .copy
    }
    return .finish
  }

  /// Notes that the writer has copied the newest pages.
  mutating func finish(pagesInLog: Int) {
    isCopying = false
    (pagesCopied, pagesFinished) = (pagesInLog, pagesInLog)
  }
}
