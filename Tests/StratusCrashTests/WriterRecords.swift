/// The records of one zone that only one writer writes, and their state after each batch.
///
/// A writer waits for an answer before it continues, so at most one batch has no answer. A reader
/// must find the state after a complete batch: the last acknowledged batch, or the batch without an
/// answer.
struct WriterRecords: Sendable {
  /// For each record name, the number of the last batch that wrote the record. Deleted records are
  /// absent.
  typealias State = [String: Int64]

  /// The records that one request saves or deletes together.
  struct Batch: Sendable {
    let number: Int64
    var saved: [String] = []
    var deleted: [String] = []
  }

  let zone: Int
  let prefix: String
  /// The state after each batch since the last call of ``settle(on:tags:)``. The first element is
  /// the state before the first batch.
  private(set) var states: [State] = [[:]]
  /// The number of acknowledged batches since the last call of ``settle(on:tags:)``.
  private(set) var acknowledgedCount = 0
  private(set) var tags: [String: String] = [:]
  /// Earlier change tags of records. A save with such a tag must be refused.
  private(set) var staleTags: [String: String] = [:]
  private(set) var newestNumber: Int64 = 0

  init(zone: Int, prefix: String) {
    self.zone = zone
    self.prefix = prefix
  }

  var acknowledged: State { states[acknowledgedCount] }
  var issuedCount: Int { states.count - 1 }

  /// Remembers that a batch is sent.
  mutating func issue(_ batch: Batch) {
    newestNumber = batch.number
    var state = states[issuedCount]
    for name in batch.saved { state[name] = batch.number }
    for name in batch.deleted { state[name] = nil }
    states.append(state)
  }

  /// Remembers that the batch without an answer was acknowledged with these change tags.
  mutating func acknowledge(tags new: [String: String]) {
    acknowledgedCount += 1
    for (name, tag) in new {
      staleTags[name] = tags[name]
      tags[name] = tag
    }
    for name in tags.keys where acknowledged[name] == nil { tags[name] = nil }
  }

  /// Removes the batch without an answer, because the server has refused it as a whole.
  mutating func withdraw() { states.removeLast() }

  /// The number of batches after which the records had the found state. Returns nil if there was no
  /// such state, which means that a batch was lost or stored in part.
  ///
  /// - Parameters:
  ///   - from: the number of batches that were acknowledged before the reader began.
  ///   - through: the number of batches that were sent before the reader ended, or nil for all.
  func place(of found: State, from: Int, through: Int? = nil) -> Int? {
    (from...(through ?? issuedCount)).first { states[$0] == found }
  }

  /// Continues from the state that was found after a crash.
  mutating func settle(on found: State, tags foundTags: [String: String]) {
    states = [found]
    acknowledgedCount = 0
    tags = foundTags
  }

  /// The state of the records that this writer writes in a zone.
  func part(of feed: [String: FoundRecord]) -> State {
    feed.filter { $0.key.hasPrefix(prefix) }.mapValues(\.number)
  }
}

/// A record that a reader has found.
struct FoundRecord: Sendable, Hashable {
  let number: Int64
  let tag: String
}
