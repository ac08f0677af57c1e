/// The records of one zone that one writer alone writes, as they must be after each of its batches.
///
/// A writer waits for an answer before it goes on, so at most one batch is without an answer.
/// Whoever reads must find the lane as it was after some batch, whole: after the last acknowledged
/// one, or after the one that was still under way.
struct Lane: Sendable {
  /// Record name → the number of the batch that wrote it last; deleted records are absent.
  typealias State = [String: Int64]

  /// One request: records written or deleted together.
  struct Batch: Sendable {
    let number: Int64
    var saved: [String] = []
    var deleted: [String] = []
  }

  let zone: Int
  let prefix: String
  /// The state after each batch since the last ``settle(on:)``, the one before them first.
  private(set) var states: [State] = [[:]]
  /// How many of the batches behind the first state were acknowledged.
  private(set) var acknowledgedCount = 0
  private(set) var tags: [String: String] = [:]
  /// Tags that records had before, which must not pass any more.
  private(set) var staleTags: [String: String] = [:]
  private(set) var newestNumber: Int64 = 0

  init(zone: Int, prefix: String) {
    self.zone = zone
    self.prefix = prefix
  }

  var acknowledged: State { states[acknowledgedCount] }
  var issuedCount: Int { states.count - 1 }

  /// Notes that a batch goes out.
  mutating func issue(_ batch: Batch) {
    newestNumber = batch.number
    var state = states[issuedCount]
    for name in batch.saved { state[name] = batch.number }
    for name in batch.deleted { state[name] = nil }
    states.append(state)
  }

  /// Notes that the batch under way was acknowledged with these tags.
  mutating func acknowledge(tags new: [String: String]) {
    acknowledgedCount += 1
    for (name, tag) in new {
      staleTags[name] = tags[name]
      tags[name] = tag
    }
    for name in tags.keys where acknowledged[name] == nil { tags[name] = nil }
  }

  /// The place of a found state among the batches; nil: it is none of them, so a batch was lost or
  /// torn.
  ///
  /// - Parameters:
  ///   - from: batches acknowledged before the reader began.
  ///   - through: batches issued before the reader was done; nil: all.
  func place(of found: State, from: Int, through: Int? = nil) -> Int? {
    (from...(through ?? issuedCount)).first { states[$0] == found }
  }

  /// Goes on from what was found after a crash.
  mutating func settle(on found: State, tags foundTags: [String: String]) {
    states = [found]
    acknowledgedCount = 0
    tags = foundTags
  }

  /// The part of a zone's records that is this lane's.
  func part(of feed: [String: FoundRecord]) -> State {
    feed.filter { $0.key.hasPrefix(prefix) }.mapValues(\.number)
  }
}

/// A record as a reader found it.
struct FoundRecord: Sendable, Hashable {
  let number: Int64
  let tag: String
}
