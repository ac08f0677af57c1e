import Testing

@testable import StratusSQLite

@Suite struct `The plan of checkpoints` {
  private static let portion = SQLiteSettings.pagesPerCopy
  private static let full = SQLiteSettings.checkpointPages
  private static let few = SQLiteSettings.pagesCopiedByWriterMax

  @Test func `the log is copied in portions, and the writer copies nothing while it is short`() {
    var plan = CheckpointPlan()
    let early = plan.begin(pagesInLog: Self.portion - 1, mustShrink: false)
    #expect(!early)
    let first = plan.begin(pagesInLog: Self.portion, mustShrink: false)
    #expect(first)
    let during = plan.begin(pagesInLog: 2 * Self.portion, mustShrink: false)
    #expect(!during)
    let next = plan.next(pagesInLog: 2 * Self.portion, mustShrink: false)
    #expect(next == .rest)
    let second = plan.begin(pagesInLog: 2 * Self.portion, mustShrink: false)
    #expect(second)
  }

  /// Otherwise the writer would copy thousands of pages while other callers wait.
  @Test func `the writer copies the end of a long log only when few pages are left`() {
    var plan = CheckpointPlan()
    var pages = Self.full
    let begins = plan.begin(pagesInLog: pages, mustShrink: false)
    #expect(begins)
    pages += Self.few + 1
    let first = plan.next(pagesInLog: pages, mustShrink: false)
    #expect(first == .copy)
    pages += Self.few
    let second = plan.next(pagesInLog: pages, mustShrink: false)
    #expect(second == .finish)
    plan.finish(pagesInLog: pages)
    let again = plan.begin(pagesInLog: pages + Self.portion - 1, mustShrink: false)
    #expect(!again)
  }

  /// Otherwise the log of a writer that never rests would grow without a bound.
  @Test func `the writer copies the rest after three repeated copies`() {
    var plan = CheckpointPlan()
    var pages = Self.full
    _ = plan.begin(pagesInLog: pages, mustShrink: false)
    var steps: [CheckpointPlan.Next] = []
    for _ in 0..<4 {
      pages += 10 * Self.few
      steps.append(plan.next(pagesInLog: pages, mustShrink: false))
    }
    #expect(steps == [.copy, .copy, .copy, .finish])
  }

  /// While a reader uses the log, the log cannot begin again.
  @Test func `the writer copies pages once for each 32 MiB of a log that does not begin again`() {
    var plan = CheckpointPlan()
    _ = plan.begin(pagesInLog: Self.full, mustShrink: false)
    _ = plan.next(pagesInLog: Self.full, mustShrink: false)
    plan.finish(pagesInLog: Self.full)
    var steps: [CheckpointPlan.Next] = []
    for pages in stride(from: Self.full + Self.portion, through: 2 * Self.full, by: Self.portion) {
      let begins = plan.begin(pagesInLog: pages, mustShrink: false)
      #expect(begins)
      steps.append(plan.next(pagesInLog: pages, mustShrink: false))
    }
    #expect(steps == [.rest, .rest, .rest, .finish])
  }

  @Test func `the pages of a log that began again count from its start`() {
    var plan = CheckpointPlan()
    _ = plan.begin(pagesInLog: Self.portion, mustShrink: false)
    // The log begins again while its old pages are still being copied.
    _ = plan.begin(pagesInLog: 6, mustShrink: false)
    let next = plan.next(pagesInLog: 6, mustShrink: false)
    #expect(next == .rest)
    let begins = plan.begin(pagesInLog: Self.portion, mustShrink: false)
    #expect(begins)
  }

  @Test func `a log that must shrink is copied and truncated although it is short`() {
    var plan = CheckpointPlan()
    let begins = plan.begin(pagesInLog: 10, mustShrink: true)
    #expect(begins)
    let next = plan.next(pagesInLog: 20, mustShrink: true)
    #expect(next == .finish)
  }
}
