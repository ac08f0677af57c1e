import Foundation
import StratusTesting
import StratusTransport
import Synchronization

/// A network on which file transfers break at random.
final class FlakyNetwork: HTTPExchange {
  private let server: any HTTPExchange
  private let state: Mutex<(chance: SeededChance, breaks: Int)>
  /// The percentage of transfer requests that break.
  private let breaksPercent: Int

  init(to server: any HTTPExchange, seed: UInt64, breaksPercent: Int) {
    self.server = server
    self.breaksPercent = breaksPercent
    state = Mutex((SeededChance(seed: seed), 0))
  }

  /// The number of broken requests so far.
  var breaks: Int { state.withLock { $0.breaks } }

  private enum Fate {
    case passes
    /// The server does not receive the request.
    case isNotHeard
    /// The server receives this many bytes of the body, and its answer is lost.
    case breaks(after: Int)
    /// The server receives the whole request, and its answer is lost.
    case answerIsLost
  }

  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    guard request.url.path.hasPrefix("/assets/") else { return try await server.send(request) }
    let fate = state.withLock { state -> Fate in
      guard state.chance.percent(breaksPercent) else { return .passes }
      state.breaks += 1
      if state.chance.percent(20) { return .isNotHeard }
      if request.body.isEmpty || state.chance.percent(20) { return .answerIsLost }
      return .breaks(after: Int.random(in: 0..<request.body.count, using: &state.chance))
    }
    var request = request
    switch fate {
    case .passes: return try await server.send(request)
    case .isNotHeard: throw .lostBeforeSending
    case .breaks(let count): request.body = Array(request.body.prefix(count))
    case .answerIsLost: break
    }
    _ = try await server.send(request)
    throw .lostAfterSending
  }
}
