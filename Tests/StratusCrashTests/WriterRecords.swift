/// The records of one zone that only one writer writes, with their state after each of its batches.
///
/// A writer waits for an answer before it continues, so at most one batch is unanswered. A reader
/// must find the state after a complete batch: after the last acknowledged one, or after the one
/// that is under way.
struct WriterRecords: Sendable {
  /// Record name → the number of the last batch that wrote it. Deleted records are absent.
  typealias State = [String: Int64]

  /// One request: records that are written or deleted together.
  struct Batch: Sendable {
    let number: Int64
    var saved: [String] = []
    var deleted: [String] = []
  }

  let zone: Int
  let prefix: String
  /// The state after each batch since the last ``settle(on:)``. The first element is the state
  /// before them.
  private(set) var states: [State] = [[:]]
  /// The number of batches after the first state that were acknowledged.
  private(set) var acknowledgedCount = 0
  private(set) var tags: [String: String] = [:]
  /// Earlier tags of records. A save with one of them must be refused.
  private(set) var staleTags: [String: String] = [:]
  private(set) var newestNumber: Int64 = 0

  init(zone: Int, prefix: String) {
    self.zone = zone
    self.prefix = prefix
  }

  var acknowledged: State { states[acknowledgedCount] }
  var issuedCount: Int { states.count - 1 }

  /// Records that a batch is sent.
  mutating func issue(_ batch: Batch) {
    newestNumber = batch.number
    var state = states[issuedCount]
    for name in batch.saved { state[name] = batch.number }
    for name in batch.deleted { state[name] = nil }
    states.append(state)
  }

  /// Records that the batch under way was acknowledged with these tags.
  mutating func acknowledge(tags new: [String: String]) {
    acknowledgedCount += 1
    for (name, tag) in new {
      staleTags[name] = tags[name]
      tags[name] = tag
    }
    for name in tags.keys where acknowledged[name] == nil { tags[name] = nil }
  }

  /// Records that the batch under way was refused as a whole.
  mutating func withdraw() { states.removeLast() }

  /// The index of a found state among the batches; nil: it is none of them, so a batch was lost or
  /// torn.
  ///
  /// - Parameters:
  ///   - from: batches acknowledged before the reader began.
  ///   - through: batches issued before the reader ended; nil: all.
  func place(of found: State, from: Int, through: Int? = nil) -> Int? {
    (from...(through ?? issuedCount)).first { states[$0] == found }
  }

  /// Continues from the state that was found after a crash.
  mutating func settle(on found: State, tags foundTags: [String: String]) {
    states = [found]
    acknowledgedCount = 0
    tags = foundTags
  }

  /// The records of a zone that this writer writes.
  func part(of feed: [String: FoundRecord]) -> State {
    feed.filter { $0.key.hasPrefix(prefix) }.mapValues(\.number)
  }
}

/// A record as a reader found it.
struct FoundRecord: Sendable, Hashable {
  let number: Int64
  let tag: String
}
