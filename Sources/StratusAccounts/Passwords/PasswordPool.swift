import Dispatch
import StratusDomain
import StratusWire
import Synchronization

/// Hashes passwords on separate threads, a few at a time, so that other requests are not delayed.
final class PasswordPool: Sendable {
  private struct State {
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var count = 0
  }

  private let runningMax: Int
  private let waitingMax: Int
  private let queue = DispatchQueue(label: "stratus.passwords", attributes: .concurrent)
  private let state = Mutex(State())

  /// - Parameters:
  ///   - runningMax: the maximum number of hashes that run at the same time.
  ///   - waitingMax: the maximum number of callers that wait for a hash.
  init(runningMax: Int, waitingMax: Int = Limits.passwordsWaitingMax) {
    self.runningMax = max(1, runningMax)
    self.waitingMax = waitingMax
  }

  /// The number of hashes so far, for tests.
  var count: Int { state.withLock { $0.count } }

  /// Runs the work that hashes one password, when a thread is free.
  ///
  /// - Throws: `TRY_AGAIN_LATER` if too many callers are waiting, or an error of the work.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await enter()
    defer { leave() }
    let result: Result<Value, ServerError> = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(
          returning: Result { () throws(ServerError) in try work() })
      }
    }
    return try result.get()
  }

  private enum Entry { case now, later, never }

  private func enter() async throws(ServerError) {
    let entry = state.withLock { state -> Entry in
      if state.running < runningMax {
        state.running += 1
        state.count += 1
        return .now
      }
      return state.waiting.count < waitingMax ? .later : .never
    }
    switch entry {
    case .now: return
    case .never:
      throw ServerError(.tryAgainLater, Reason.passwordsBusy, retryAfterSeconds: 10)
    case .later: break
    }
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        state.count += 1
        if state.running < runningMax {
          state.running += 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Ends one hash. The caller that has waited longest may then begin.
  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.running -= 1
      return nil
    }
    next?.resume()
  }
}
