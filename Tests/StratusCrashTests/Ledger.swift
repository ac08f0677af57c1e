import Synchronization

/// Stores the sent and the acknowledged requests of all writers. Kills the server after a given
/// number of acknowledged requests.
final class Ledger: Sendable {
  private struct Contents {
    var lanes: [WriterRecords]
    var acknowledgedCount = 0
    var killAt = Int.max
    var isDead = false
    var kill: @Sendable () -> Void = {}
    var faults: [String] = []
  }

  private let contents: Mutex<Contents>

  init(lanes: [WriterRecords]) { contents = Mutex(Contents(lanes: lanes)) }

  var lanes: [WriterRecords] { contents.withLock(\.lanes) }
  /// Whether the round has ended, usually because the server was killed.
  var isDead: Bool { contents.withLock(\.isDead) }
  /// The errors that occurred while the server was running.
  var faults: [String] { contents.withLock(\.faults) }
  var acknowledgedCount: Int { contents.withLock(\.acknowledgedCount) }

  /// Begins a round.
  ///
  /// - Parameter killAt: the number of acknowledged requests after which the server is killed.
  func arm(killAt: Int, kill: @escaping @Sendable () -> Void) {
    contents.withLock { contents in
      contents.acknowledgedCount = 0
      contents.isDead = false
      contents.killAt = killAt
      contents.kill = kill
    }
  }

  /// Ends the round without a kill.
  func end() { contents.withLock { $0.isDead = true } }

  func lane(_ index: Int) -> WriterRecords { contents.withLock { $0.lanes[index] } }

  func issue(_ batch: WriterRecords.Batch, in index: Int) {
    contents.withLock { $0.lanes[index].issue(batch) }
  }

  /// Removes the batch that had no answer yet, because the server has refused it and stored no part
  /// of it.
  func withdraw(in index: Int) { contents.withLock { $0.lanes[index].withdraw() } }

  /// Remembers an answer. Kills the server if the answer is the last one of the round.
  func acknowledge(in index: Int, tags: [String: String]) {
    contents.withLock { contents in
      contents.lanes[index].acknowledge(tags: tags)
      contents.acknowledgedCount += 1
      if contents.acknowledgedCount == contents.killAt {
        contents.isDead = true
        contents.kill()
      }
    }
  }

  func settle(_ index: Int, on found: WriterRecords.State, tags: [String: String]) {
    contents.withLock { $0.lanes[index].settle(on: found, tags: tags) }
  }

  func note(fault: String) {
    contents.withLock { if $0.faults.count < 20 { $0.faults.append(fault) } }
  }
}
