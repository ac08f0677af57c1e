public import StratusWire

/// Some new entries of the request log, for a page that shows requests as they arrive.
public struct RequestBatch: Sendable {
  /// The number of entries that were left out since the last batch, because too many arrived in
  /// one second.
  public var skippedCount = 0
  /// The oldest first.
  public var entries: [RequestEntry] = []
}

/// Passes some of the new entries of the request log to a page.
///
/// NB: the entries are chosen here and not by the task of the page. So the task does not run for
/// entries that it leaves out, and only a few entries stay in memory until the task has them.
struct RequestListener {
  /// The maximum number of seconds by which an entry is older than the newest one, unless the clock
  /// was set back.
  private static let lateSecondsMax: Int64 = 60

  let entriesPerSecondMax: Int
  /// Whether the page may show the requests to a container.
  let shows: @Sendable (_ containerID: String) -> Bool
  let continuation: AsyncStream<RequestBatch>.Continuation
  /// The newest second in which a request arrived, and the numbers of its entries.
  private var second = Int64.min
  private var sentCount = 0
  private var skippedCount = 0

  init(
    entriesPerSecondMax: Int, shows: @escaping @Sendable (_ containerID: String) -> Bool,
    continuation: AsyncStream<RequestBatch>.Continuation
  ) {
    self.entriesPerSecondMax = entriesPerSecondMax
    self.shows = shows
    self.continuation = continuation
  }

  mutating func send(_ entries: some Sequence<RequestEntry>) {
    var batch = RequestBatch()
    var last: (containerID: String, isShown: Bool)?
    for entry in entries {
      // NB: neighbouring entries often have the same container, and comparing two containers
      // takes less time than calling `shows`.
      if last?.containerID != entry.containerID {
        last = (entry.containerID, shows(entry.containerID))
      }
      guard last?.isShown == true else { continue }
      // NB: a request may end after later ones. But if an entry is very old, the clock was set
      // back, and the page must not wait until the clock shows the newest second again.
      let arrival = entry.time / 1_000
      if arrival > second || second - arrival > Self.lateSecondsMax {
        batch.skippedCount += skippedCount
        (second, sentCount, skippedCount) = (arrival, 0, 0)
      }
      guard sentCount < entriesPerSecondMax else {
        skippedCount += 1
        continue
      }
      sentCount += 1
      batch.entries.append(entry)
    }
    if !batch.entries.isEmpty { continuation.yield(batch) }
  }
}
