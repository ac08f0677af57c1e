import Foundation
import StratusWire

/// Reads all changes of a zone, as a new device does.
struct Follower: Sendable {
  let port: Int
  let requests: Requests
  let zone: String

  /// The result of reading all changes once.
  struct Pull {
    var bytes = 0
    var pages = 0
    var syncToken = ""
  }

  /// - Parameter inspect: is called with the bytes of every page.
  func pull(_ inspect: (ArraySlice<UInt8>) throws -> Void = { _ in }) throws -> Pull {
    let exchange = try Exchange(port: port)
    var pull = Pull()
    var token: String?
    while true {
      let body = try exchange.send(requests.changes(zone: zone, since: token))
      try inspect(body)
      pull.bytes += body.count
      pull.pages += 1
      let page = try Page(body)
      token = page.syncToken
      pull.syncToken = page.syncToken
      if !page.moreComing { return pull }
    }
  }

  /// Runs several followers at the same time.
  ///
  /// - Returns: the duration, and the number of bytes that all followers received.
  func pull(followers: Int) throws -> (seconds: Double, bytes: Int) {
    let outcome = Outcome()
    let start = Clock.nanoseconds()
    DispatchQueue.concurrentPerform(iterations: followers) { _ in
      outcome.note(Result { try pull().bytes })
    }
    let seconds = Double(Clock.nanoseconds() - start) / 1e9
    return (seconds, try outcome.sum())
  }
}

/// The combined result of the followers of one run.
///
/// NB: `@unchecked` is safe, because `lock` guards all other properties.
private final class Outcome: @unchecked Sendable {
  private let lock = NSLock()
  private var results: [Result<Int, any Error>] = []

  func note(_ result: Result<Int, any Error>) { lock.withLock { results.append(result) } }

  func sum() throws -> Int { try results.reduce(0) { try $0 + $1.get() } }
}
